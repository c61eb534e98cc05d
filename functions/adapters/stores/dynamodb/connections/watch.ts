import { DeployError } from '../../../../core/errors.ts';
import { unless } from '../../../aws/failures.ts';
import { WATCHED_UNTIL } from '../counters.ts';
import { keys, N, numberIn } from '../items.ts';
import { readItem, type TableContext, update } from '../table.ts';
import { LIFETIME_SECONDS } from './connections.ts';

/** How much longer than a connection lives a log is watched, so that not each connection is a write. */
const LONGER_SECONDS = 30 * 60;
const TRIES = 10;
/** In milliseconds: longer than a transaction of the log. */
const PAUSE_MS = 50;

/**
 * Returns what has the changes of a user's log signalled for as long as a connection lives: without it their records do
 * not pass the filter of the table's stream. It returns the number of the last change; every later one is signalled,
 * because a writer that does not know of it yet is refused (see `countersUpdate`).
 */
export function dynamoDbWatch(context: TableContext): (user: string) => Promise<number> {
  const { clock } = context;
  const watch = async (user: string, until: number) => {
    const { item } = await update(context, keys.counters(user), {
      UpdateExpression: `SET ${WATCHED_UNTIL} = :until`,
      ExpressionAttributeValues: { ':until': N(until) },
      ReturnValues: 'ALL_NEW',
    });
    return numberIn(item, 'changes') ?? 0;
  };
  return async (user) => {
    const item = await readItem(context, keys.counters(user));
    const needed = clock.now() + LIFETIME_SECONDS * 1000;
    if ((numberIn(item, WATCHED_UNTIL) ?? 0) >= needed) return numberIn(item, 'changes') ?? 0;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const last = await unless('TransactionConflictException', watch(user, needed + LONGER_SECONDS * 1000));
      if (last !== undefined) return last;
      // A transaction of a writer is under way.
      await clock.sleep(PAUSE_MS * context.ids.fraction());
    }
    throw new DeployError('request:conflict', 'The log is being written to; connect again.', { retry: true });
  };
}
