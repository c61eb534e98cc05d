import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { DUE_PARTITIONS, duePartition, numberIn, S } from '../../../../functions/adapters/stores/dynamodb/items.ts';
import { clock } from './clock.ts';
import type { World } from './world.ts';

/** The schedule of the sweep. */
export const SWEEP_EVERY_MS = 60_000;
/**
 * The longest time within which everything must have ended: a deploy that does not move is given up after two hours.
 */
const LIMIT_MS = 12 * 3_600_000;

/**
 * Delivers messages, and lets the time pass and the sweep run, until no entry is unfinished and no message is left.
 * Returns the virtual milliseconds that it took.
 */
export async function settle(world: World): Promise<number> {
  const begin = clock.now();
  while (clock.now() < begin + LIMIT_MS) {
    const deliveries = await world.broker.receive();
    for (const delivery of deliveries) await world.broker.deliver(delivery);
    if (deliveries.length > 0) continue;
    const [hidden, due] = [world.broker.next(), await firstDue(world)];
    if (hidden === null && due === null) return clock.now() - begin;
    if (hidden !== null && hidden <= (due ?? Number.POSITIVE_INFINITY)) {
      clock.pass(Math.max(0, hidden - clock.now()));
      continue;
    }
    // The schedule comes by up to a minute after an entry is due. The runs in between would find nothing.
    clock.pass(Math.max(0, (due ?? 0) - clock.now()) + SWEEP_EVERY_MS / 2);
    // A run that fails is only traced: the schedule repeats it.
    await world.sweep().catch(() => {});
  }
  throw new Error('Not everything came to an end.');
}

/** Returns when the sweep has something to do next; null when no entry of any user is unfinished. */
async function firstDue(world: World): Promise<number | null> {
  const { client, table } = world.table();
  const firsts = Array.from({ length: DUE_PARTITIONS }, async (_, shard) => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: 'byDue',
        KeyConditionExpression: 'due_pk = :shard',
        ExpressionAttributeValues: { ':shard': S(duePartition(shard)) },
        Limit: 1,
      }),
    );
    return Items.map((item) => numberIn(item, 'due_at') ?? 0);
  });
  const times = (await Promise.all(firsts)).flat();
  return times.length === 0 ? null : Math.min(...times);
}
