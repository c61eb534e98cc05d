import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { type Emulators, startEmulators } from '../../../aws-local/emulators/emulators.ts';
import { Throttled } from '../../../aws-local/invoke/function-error.ts';
import type { Closable } from '../../../aws-local/invoke/invoker.ts';
import { createResources } from '../../../aws-local/resources/resources.ts';
import { startQueues } from '../../../aws-local/sources/queues.ts';
import { strictEvents } from '../../../aws-local/strict/strict.ts';
import { fakeFunctions } from '../../../support/aws-local/fake-functions.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

let emulators: Emulators;
let client: SQSClient;
let queues: Closable | undefined;
let number = 0;

beforeAll(async () => {
  emulators = await startEmulators();
  client = new SQSClient(clientFor(emulators.endpoints.sqs));
});
afterEach(async () => {
  await queues?.close();
});
afterAll(() => emulators.close());

interface Setup {
  readonly fifo?: boolean;
  readonly visibility?: number;
  readonly mapping?: Record<string, unknown>;
  readonly reserved?: number;
  readonly handle?: (event: SQSEvent) => unknown;
}

/** A queue of its own for each test, with a dead-letter queue and a function behind it. */
async function queueWith({ fifo = false, visibility = 30, mapping = {}, reserved, handle }: Setup) {
  number += 1;
  const name = (base: string) => `${base}${number}${fifo ? '.fifo' : ''}`;
  const arn = (base: string) => `arn:aws:sqs:us-east-1:000000000000:${name(base)}`;
  const properties = { ...(fifo && { FifoQueue: true }), VisibilityTimeout: visibility };
  const redrive = { RedrivePolicy: { deadLetterTargetArn: arn('dead'), maxReceiveCount: 2 } };
  const template = templateOf({
    Work: ['AWS::SQS::Queue', { ...properties, ...redrive, QueueName: name('work') }],
    Dead: ['AWS::SQS::Queue', { ...properties, QueueName: name('dead') }],
    worker: ['AWS::Lambda::Function', { ...(reserved !== undefined && { ReservedConcurrentExecutions: reserved }) }],
    Mapping: [
      'AWS::Lambda::EventSourceMapping',
      {
        EventSourceArn: arn('work'),
        FunctionName: 'worker',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ...mapping,
      },
    ],
  });
  await createResources({ template, endpoints: emulators.endpoints });
  const warnings: string[] = [];
  const functions = fakeFunctions<SQSEvent>(handle);
  queues = startQueues({
    template,
    endpoints: emulators.endpoints,
    functions: strictEvents(functions.invoker, { doubledPart: 0 }),
    warn: (sentence) => warnings.push(sentence),
  });
  const url = (base: string) => `${emulators.endpoints.sqs}/000000000000/${name(base)}`;
  const send = (body: string, group?: string) =>
    client.send(
      new SendMessageCommand({
        QueueUrl: url('work'),
        MessageBody: body,
        ...(group && { MessageGroupId: group, MessageDeduplicationId: `${group}${body}` }),
      }),
    );
  const left = async () => {
    const AttributeNames = ['ApproximateNumberOfMessages' as const, 'ApproximateNumberOfMessagesNotVisible' as const];
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl: url('work'), AttributeNames }));
    return Object.values(Attributes ?? {}).reduce((sum, count) => sum + Number(count), 0);
  };
  const bodies = () => functions.events.map((event) => event.Records.map((record) => record.body).join('+'));
  return { url, send, left, bodies, warnings, events: functions.events };
}

describe('A queue', () => {
  it('a message starts its function with the event of Lambda', async () => {
    const { send, events, left } = await queueWith({ fifo: true });
    await send('{"entry":1}', 'u/r');
    await expect.poll(left).toBe(0);
    expect(events[0]?.Records[0]).toMatchObject({
      body: '{"entry":1}',
      attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'u/r' },
      eventSourceARN: expect.stringMatching(/^arn:aws:sqs:us-east-1:000000000000:work\d+\.fifo$/),
    });
  });

  it('batches run in parallel, up to the maximum concurrency', async () => {
    let running = 0;
    let most = 0;
    const handle = async () => {
      running += 1;
      most = Math.max(most, running);
      // Long enough that a fourth batch would have begun.
      await expect.poll(() => most).toBeGreaterThanOrEqual(3);
      await sleep(60);
      running -= 1;
    };
    const { send, events, left } = await queueWith({
      mapping: { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 3 } },
      handle,
    });
    await Promise.all(['1', '2', '3', '4', '5'].map((body) => send(body)));
    await expect.poll(left).toBe(0);
    expect(events).toHaveLength(5);
    expect(most).toBe(3);
  });

  it('without a limit, messages are received beyond what is reserved for the function, and that counts', async () => {
    const running = new Set<string>();
    const counts: string[] = [];
    const handle = async ({ Records: [record] }: SQSEvent) => {
      counts.push(record?.attributes.ApproximateReceiveCount ?? '');
      if (running.size > 0) throw new Throttled('worker', true);
      running.add(record?.body ?? '');
      await expect.poll(() => counts.length).toBeGreaterThanOrEqual(3);
      running.clear();
    };
    const { send, left } = await queueWith({
      fifo: true,
      visibility: 1,
      reserved: 1,
      handle,
      mapping: { BatchSize: 1 },
    });
    await Promise.all(['a', 'b', 'c'].map((group) => send('x', group)));
    await expect.poll(left).toBe(0);
    expect(counts.filter((count) => count === '1')).toHaveLength(3);
    expect(counts).toContain('2');
  });

  it('messages of a group keep their order, and groups run in parallel', async () => {
    const order: string[] = [];
    const handle = async ({ Records }: SQSEvent) => {
      if (Records[0]?.body === 'a1') await expect.poll(() => order).toContain('b2');
      order.push(...Records.map((record) => record.body));
    };
    const { send, left } = await queueWith({ fifo: true, handle });
    for (const [body, group] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['b1', 'b'],
      ['b2', 'b'],
    ])
      await send(body ?? '', group);
    await expect.poll(left).toBe(0);
    expect(order).toEqual(['b1', 'b2', 'a1', 'a2']);
  });

  it('messages of a batch are deleted, except those that it reported as failed', async () => {
    const handle = ({ Records }: SQSEvent) => ({
      batchItemFailures: Records.filter((record) => record.body === 'bad').map((record) => ({
        itemIdentifier: record.messageId,
      })),
    });
    const { send, left, events } = await queueWith({ handle });
    await Promise.all(['good', 'bad', 'fine'].map((body) => send(body)));
    await expect.poll(() => events.flatMap((event) => event.Records)).toHaveLength(3);
    await expect.poll(left).toBe(1);
  });

  it('the entire batch is kept when the function reports an id that is not in it', async () => {
    const { send, left, events } = await queueWith({
      handle: () => ({ batchItemFailures: [{ itemIdentifier: 'other' }] }),
    });
    await send('kept');
    await expect.poll(() => events.length).toBe(1);
    await sleep(50);
    expect(await left()).toBe(1);
  });

  it('a failed message is received again after its visibility timeout, then moved to the dead-letter queue', async () => {
    const { send, url, bodies, warnings, left } = await queueWith({
      fifo: true,
      visibility: 1,
      handle: () => {
        throw new Error('crashed');
      },
    });
    await send('bad', 'g');
    await send('next', 'g');
    await expect.poll(bodies).toEqual(['bad', 'bad', 'next', 'next']);
    await expect.poll(left).toBe(0);
    const { Messages } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: url('dead'), MaxNumberOfMessages: 10 }),
    );
    expect(Messages?.map((message) => message.Body)).toEqual(['bad']);
    expect(warnings[0]).toMatch(/^worker failed; its messages are received again.*: crashed$/);
  });

  it('a visibility timeout that the function set delays its message and the rest of the group', async () => {
    const again = async ({ Records: [record] }: SQSEvent) => {
      if (record?.body !== 'wait' || record.attributes.ApproximateReceiveCount !== '1') return undefined;
      const QueueUrl = `${emulators.endpoints.sqs}/000000000000/${record.eventSourceARN.split(':').at(-1)}`;
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: record.receiptHandle, VisibilityTimeout: 3 }),
      );
      return { batchItemFailures: [{ itemIdentifier: record.messageId }] };
    };
    const { send, bodies } = await queueWith({ fifo: true, visibility: 360, handle: again });
    const sent = performance.now();
    await send('wait', 'g');
    await send('later', 'g');
    await send('else', 'h');
    await expect.poll(bodies).toEqual(['wait', 'else', 'wait', 'later']);
    expect(performance.now() - sent).toBeGreaterThan(2_900);
  });

  it('a filter on a queue is refused, because ignoring it would pass everything', () => {
    const template = templateOf({
      Mapping: [
        'AWS::Lambda::EventSourceMapping',
        {
          EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:q',
          FunctionName: 'f',
          FilterCriteria: { Filters: [{ Pattern: '{"body":["x"]}' }] },
        },
      ],
    });
    const start = () =>
      startQueues({ template, endpoints: emulators.endpoints, functions: fakeFunctions().invoker, warn: () => {} });
    expect(start).toThrow('Mapping: filters on a queue');
  });
});
