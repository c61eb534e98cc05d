import type { Connection, Connections, Side } from '../core/ports/connections.ts';
import type { Posting } from '../core/ports/posting.ts';
import type { Growth } from '../triggers/log-stream.ts';
import { RecentConnections } from './recent-connections.ts';

/** What telling of changes needs. */
export interface SignalPorts {
  readonly connections: Pick<Connections, 'list' | 'close'>;
  readonly posting: Posting;
}

/** Posts that are under way beside each other for one user. */
const AT_ONCE = 20;

/**
 * Bytes of a signal with its changes; with more, it goes without. API Gateway counts a message for each 32 KB of it.
 * https://aws.amazon.com/api-gateway/pricing/
 */
const LARGEST = 32 * 1024;

/**
 * Tells a user's connections how far the log is, `{"last": n}`, and those of the service itself also what is new, so that
 * none of them has to read it: `{"last": n, "changes": […]}`. Who was told the last time is told at once, and who has come
 * since after a look into the book of connections. One that is gone is forgotten; one that cannot be told keeps nobody
 * else from being told. Throws at the end when there was such a one.
 */
export function signal({ connections, posting }: SignalPorts): (growth: Growth) => Promise<void> {
  const recent = new RecentConnections();
  return async (growth) => {
    const failures: unknown[] = [];
    const gone = new Set<string>();
    const tell = async (connection: Connection, texts: Record<Side, string>) => {
      if (await posting.post(connection, texts[connection.side])) return;
      gone.add(connection.id);
      await connections.close(connection.id);
    };
    const tellAll = async (some: readonly Connection[]) => {
      if (some.length === 0) return;
      const texts = textsOf(growth);
      const waiting = [...some];
      const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          await tell(next, texts).catch((error: unknown) => failures.push(error));
        }
      };
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, work));
    };

    const known = recent.of(growth.user);
    await tellAll(known);
    const all = await connections.list(growth.user);
    const told = new Set(known.map(({ id }) => id));
    await tellAll(all.filter(({ id }) => !told.has(id)));
    recent.keep(
      growth.user,
      all.filter(({ id }) => !gone.has(id)),
    );
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} connections could not be told.`);
  };
}

function textsOf({ last, changes }: Growth): Record<Side, string> {
  const plain = JSON.stringify({ last });
  const whole = `${plain.slice(0, -1)},"changes":[${changes.join()}]}`;
  return { outside: plain, inside: Buffer.byteLength(whole) > LARGEST ? plain : whole };
}
