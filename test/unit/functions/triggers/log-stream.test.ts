import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { packedJson } from '../../../../functions/core/entry/packed.ts';
import { type LogUpdate, logStreamTrigger } from '../../../../functions/triggers/log-stream.ts';
import { loggedErrors } from '../../../support/events/aws-events.ts';

const change = (user: string, seq: number, at: string): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: {
    Keys: { pk: { S: user }, sk: { S: `C#${String(seq).padStart(12, '0')}` } },
    NewImage: { doc: { B: Buffer.from(packedJson(`{"seq":${seq}}`)).toString('base64') } },
    SequenceNumber: at,
  },
});

async function run(Records: DynamoDBRecord[], notify: (update: LogUpdate) => Promise<void> = async () => {}) {
  const updates: LogUpdate[] = [];
  const { batchItemFailures } = await logStreamTrigger(async (update) => {
    updates.push(update);
    await notify(update);
  })({ Records });
  return { updates, failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
}

const lines = loggedErrors();

describe('the stream of the log', () => {
  it('notifies each user once for a batch, with all changes in order', async () => {
    const { updates, failed } = await run([
      change('ann', 3, '1'),
      change('bob', 9, '2'),
      change('ann', 5, '3'),
      change('ann', 4, '4'),
    ]);
    expect(updates).toEqual([
      { user: 'ann', last: 5, changes: ['{"seq":3}', '{"seq":4}', '{"seq":5}'] },
      { user: 'bob', last: 9, changes: ['{"seq":9}'] },
    ]);
    expect(failed).toEqual([]);
  });

  it('reports a user whose notification fails by the first record, and no other user', async () => {
    const { updates, failed } = await run(
      [change('ann', 2, '1'), change('bob', 2, '2'), change('ann', 1, '3')],
      async ({ user }) => {
        if (user === 'ann') throw new Error('throttled');
      },
    );
    expect(updates.map(({ user }) => user)).toEqual(['ann', 'bob']);
    expect(failed).toEqual(['1']);
    expect(lines.join()).toContain('throttled');
  });

  it('ignores records that are not new changes', async () => {
    const { dynamodb } = change('ann', 1, '1');
    const keyed = (sk: string): DynamoDBRecord => ({
      dynamodb: { ...dynamodb, Keys: { pk: { S: 'ann' }, sk: { S: sk } } },
    });
    const { NewImage, ...expired } = dynamodb ?? {};
    expect(NewImage).toBeDefined();
    const records = [keyed('E#000000000001'), keyed('HEAD'), keyed('C#'), { dynamodb: expired }, {}];
    expect(await run(records)).toEqual({ updates: [], failed: [] });
  });

  it('notifies at most ten users at a time', async () => {
    let now = 0;
    let most = 0;
    await run(
      Array.from({ length: 60 }, (_, user) => change(`user-${user}`, 1, String(user))),
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
