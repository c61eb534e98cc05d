import { describe, expect, it } from 'vitest';
import { openLogStore } from '../../aws-local/logs/log-store.ts';
import { logsService } from '../../aws-local/logs/logs-service.ts';
import { openSubscriptions } from '../../aws-local/logs/subscriptions.ts';

/** A log with these lines, and its calls. */
function logOf(...messages: readonly string[]) {
  const store = openLogStore();
  const events = messages.map((message, timestamp) => ({ timestamp, message }));
  store.createGroup('log');
  if (messages.length > 0) store.append('log', 'stream', events);
  const { operations } = logsService(
    store,
    openSubscriptions(() => undefined),
  );
  return async (name: string, input: object) => ({
    ...(await operations[name]?.run({ logGroupName: 'log', ...input })),
  });
}

describe('The pages of a log', () => {
  it('of a search begin with an empty one, whose token leads to the lines', async () => {
    const call = logOf('one', 'two', 'three');
    const first = await call('FilterLogEvents', {});
    expect(first).toMatchObject({ events: [], nextToken: '0' });
    const second = await call('FilterLogEvents', { nextToken: '0', limit: 2 });
    expect(second).toMatchObject({ events: [{ message: 'one' }, { message: 'two' }], nextToken: '2' });
    const last = await call('FilterLogEvents', { nextToken: '2', limit: 2 });
    expect(last).toMatchObject({ events: [{ message: 'three' }] });
    expect(last).not.toHaveProperty('nextToken');
    expect(await logOf()('FilterLogEvents', {})).not.toHaveProperty('nextToken');
  });

  it('of a stream begin with an empty one, and end with the token that was sent', async () => {
    const call = logOf('one');
    const place = { logStreamName: 'stream', startFromHead: true };
    expect(await call('GetLogEvents', place)).toEqual({ events: [], nextForwardToken: 'f/0' });
    const second = await call('GetLogEvents', { ...place, nextToken: 'f/0' });
    expect(second).toMatchObject({ events: [{ message: 'one' }], nextForwardToken: 'f/1' });
    const last = await call('GetLogEvents', { ...place, nextToken: 'f/1' });
    expect(last).toEqual({ events: [], nextForwardToken: 'f/1' });
  });

  it('have 1 MB at most', async () => {
    const call = logOf(...Array.from({ length: 5 }, () => 'x'.repeat(300 * 1024)));
    expect(await call('FilterLogEvents', { nextToken: '0' })).toMatchObject({ events: { length: 3 }, nextToken: '3' });
  });
});

describe('The rates of CloudWatch Logs', () => {
  it.each([
    ['FilterLogEvents', {}, 25],
    ['PutRetentionPolicy', { retentionInDays: 14 }, 5],
    ['PutSubscriptionFilter', { filterName: 'f', filterPattern: 'word', destinationArn: 'watcher' }, 5],
  ])('%s: more at once are refused', async (name, input, rate) => {
    const call = logOf('one');
    const calls = await Promise.allSettled(Array.from({ length: 2 * rate }, () => call(name, input)));
    const refused = calls.flatMap((one) => (one.status === 'rejected' ? [one.reason.type] : []));
    expect(calls.length - refused.length).toBeGreaterThanOrEqual(rate);
    expect(refused).toContain('ThrottlingException');
  });
});

describe('A subscription filter', () => {
  it('is refused when CloudWatch Logs may not invoke its function for this log', async () => {
    const asked: unknown[] = [];
    const { operations } = logsService(
      openLogStore(),
      openSubscriptions((invocation) => {
        asked.push(invocation);
        return 'refused';
      }),
    );
    await operations.CreateLogGroup?.run({ logGroupName: 'log' });
    const filter = { filterName: 'f', filterPattern: 'word', destinationArn: 'arn:aws:lambda:us-east-1:0:function:w' };
    expect(() => operations.PutSubscriptionFilter?.run({ logGroupName: 'log', ...filter })).toThrow(
      'Make sure you have given CloudWatch Logs permission to execute your function.',
    );
    const sourceArn = 'arn:aws:logs:us-east-1:000000000000:log-group:log:*';
    expect(asked).toEqual([{ functionName: 'w', sourceArn, principal: 'logs.amazonaws.com' }]);
  });
});
