import { errorName } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys } from '../table/items.ts';
import { unwatchLog, watchLog } from './app-log.ts';

/** An application may print the line of an ended instance itself: it can cause one run in this time, not one a line. */
const QUIET_MS = 60_000;

type QuietParts = Pick<LambdaPlatformParts, 'table' | 'logs' | 'clock'>;

/** Has the log of a function notify nobody for a minute. The item first: what it says is undone by `listenAgain`. */
export async function beQuiet(name: string, parts: QuietParts): Promise<void> {
  await parts.table.write(keys.quiet(name), { since: parts.clock.now() });
  await unwatchLog(name, parts);
}

/** Has the logs notify again whose minute is over. */
export async function listenAgain(parts: QuietParts): Promise<void> {
  const { table, clock } = parts;
  for (const { sk: name, since } of await table.list(keys.quietLogs())) {
    if (since === undefined || clock.now() - since < QUIET_MS) continue;
    const { watcher } = (await table.read(keys.function(name))) ?? {};
    if (watcher !== undefined) await watchIfThere(name, watcher, parts);
    // Unless it became quiet again at this moment.
    await table.write(keys.quiet(name), { since: null }, { attribute: 'since', is: since });
  }
}

async function watchIfThere(name: string, watcher: string, parts: QuietParts): Promise<void> {
  await watchLog(name, watcher, parts).catch((error: unknown) => {
    if (errorName(error) !== 'ResourceNotFoundException') throw error;
  });
}
