import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { sqsQueue } from '../../../../../functions/adapters/queues/sqs.ts';
import { memoryIds } from '../../../../fakes/clock.ts';

/** What SQS allows as the id of a message group. */
const ALLOWED = /^[\w!"#$%&'()*+,./:;<=>?@[\\\]^`{|}~-]{1,128}$/;

it.each(['ann', 'x'.repeat(200), 'ännchen müller', ''])(
  'The reports of the user "%s" are a group of their own, so that those of others do not wait behind many of one',
  async (user) => {
    const client = new SQSClient({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 's' } });
    const sent = mockClient(client).on(SendMessageCommand).resolves({});
    const queue = sqsQueue({ client, urls: { report: 'https://sqs/report' }, ids: memoryIds() });
    for (const [name, number] of [
      [user, 1],
      [user, 2],
      ['bob', 1],
    ] as const)
      await queue.report({ user: name, number });
    const groups = sent.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input.MessageGroupId ?? '');
    expect(groups[0]).toMatch(ALLOWED);
    expect([groups[1] === groups[0], groups[2]]).toEqual([true, 'bob']);
    expect(groups[0]).not.toBe('bob');
    // In a queue that is not FIFO there is no deduplication.
    expect(sent.commandCalls(SendMessageCommand)[0]?.args[0].input).not.toHaveProperty('MessageDeduplicationId');
  },
);
