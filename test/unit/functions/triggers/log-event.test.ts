import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { endedInstanceIn } from '../../../../functions/triggers/platform-events.ts';

const sent = (message: object) => ({ awslogs: { data: gzipSync(JSON.stringify(message)).toString('base64') } });
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html#LambdaFunctionExample
const message = {
  owner: '111111111111',
  logGroup: '/aws/lambda/stack-app-ann-shop-0f',
  logStream: '2026/11/22/[3]0f',
  subscriptionFilters: ['ended'],
  messageType: 'DATA_MESSAGE',
  logEvents: [{ id: '1', timestamp: 1432826855000, message: 'Error: Runtime exited with error: exit status 1' }],
};

describe('an event of a log', () => {
  it('names the log and the instance that has ended', () => {
    expect(endedInstanceIn(sent(message))).toEqual({ group: message.logGroup, stream: message.logStream });
  });

  it.each([
    ['the event of a schedule', { source: 'aws.events' }],
    ['a message that only checks the function', sent({ ...message, messageType: 'CONTROL_MESSAGE' })],
    ['a message without a stream', sent({ ...message, logStream: undefined })],
    ['nothing', undefined],
    ['data that is not gzip', { awslogs: { data: 'bm90IGd6aXA=' } }],
    ['data that is cut off', { awslogs: { data: sent(message).awslogs.data.slice(0, 40) } }],
    ['data that unpacks to more than a few lines', sent({ ...message, owner: 'x'.repeat(11 * 1024 * 1024) })],
    ['data without JSON', { awslogs: { data: gzipSync('{').toString('base64') } }],
  ])('is none when it is %s', (_what, event) => {
    expect(endedInstanceIn(event)).toBeNull();
  });
});
