import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Growth, logStreamTrigger } from '../../functions/triggers/log-stream.ts';

const head = (user: string, last: number, at: string): DynamoDBRecord => ({
  eventName: 'MODIFY',
  dynamodb: {
    Keys: { pk: { S: user }, sk: { S: 'HEAD' } },
    NewImage: { changes: { N: String(last) } },
    SequenceNumber: at,
  },
});

async function run(Records: DynamoDBRecord[], tell: (growth: Growth) => Promise<void> = async () => {}) {
  const told: Growth[] = [];
  const { batchItemFailures } = await logStreamTrigger(async (growth) => {
    told.push(growth);
    await tell(growth);
  })({ Records });
  return { told, failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
}

afterEach(() => vi.restoreAllMocks());

describe('the stream of the log', () => {
  it('has each user told once for a batch, of the newest change', async () => {
    const { told, failed } = await run([
      head('ann', 3, '1'),
      head('bob', 9, '2'),
      head('ann', 5, '3'),
      head('ann', 4, '4'),
    ]);
    expect(told).toEqual([
      { user: 'ann', last: 5 },
      { user: 'bob', last: 9 },
    ]);
    expect(failed).toEqual([]);
  });

  it('has a user who could not be told come again from the first record on, and nobody else fail', async () => {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
    const { told, failed } = await run(
      [head('ann', 1, '1'), head('bob', 2, '2'), head('ann', 3, '3')],
      async ({ user }) => {
        if (user === 'ann') throw new Error('throttled');
      },
    );
    expect(told.map(({ user }) => user)).toEqual(['ann', 'bob']);
    expect(failed).toEqual(['1']);
    expect(lines.join()).toContain('throttled');
  });

  it('passes over what is no counter, should the filter ever let it through', async () => {
    const entry = { ...head('ann', 1, '1'), dynamodb: { Keys: { pk: { S: 'ann' }, sk: { S: 'E#000000000001' } } } };
    const gone: DynamoDBRecord = { eventName: 'REMOVE', dynamodb: { Keys: { pk: { S: 'ann' }, sk: { S: 'HEAD' } } } };
    expect(await run([entry, gone])).toEqual({ told: [], failed: [] });
  });

  it('tells many users beside each other, and not all at a time', async () => {
    let now = 0;
    let most = 0;
    await run(
      Array.from({ length: 60 }, (_, user) => head(`user-${user}`, 1, String(user))),
      async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setTimeout(resolve, 2));
        now -= 1;
      },
    );
    expect(most).toBe(10);
  });
});
