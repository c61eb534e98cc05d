import type { Connection, Connections, Posting } from '../core/ports/signals.ts';
import type { Growth } from '../triggers/log-stream.ts';

/** What telling of changes needs. */
export interface SignalPorts {
  readonly connections: Pick<Connections, 'list' | 'close'>;
  readonly posting: Posting;
}

/** Posts that are under way beside each other for one user. */
const AT_ONCE = 20;

/**
 * Tells a user's connections how far the log is: `{"last": n}`. One that is gone is forgotten; one that cannot be told
 * keeps nobody else from being told. Throws at the end when there was such a one.
 */
export function signal({ connections, posting }: SignalPorts): (growth: Growth) => Promise<void> {
  return async ({ user, last }) => {
    const text = JSON.stringify({ last });
    const waiting = [...(await connections.list(user))];
    const failures: unknown[] = [];
    const tell = async (connection: Connection) => {
      if (!(await posting.post(connection, text))) await connections.close(connection.id);
    };
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await tell(next).catch((error: unknown) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, work));
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} connections could not be told.`);
  };
}
