import { DeployError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports/clock.ts';

/** The public keys that a sender shows at an address of its own. */
export interface PublishedKeys {
  /** The key there, fetched once and good for an hour. Throws `mw:auth:auth_server_down`. */
  at(address: string): Promise<string>;
  /**
   * The key there after a signature did not fit: fetched again, because keys are replaced, but once a minute at most,
   * because anyone may send what does not fit. Throws `mw:auth:auth_server_down`.
   */
  renewed(address: string): Promise<string>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long a key is taken without asking again. */
const FRESH = 60 * MINUTE;
/** How long it is taken while it cannot be asked for: what it fits was signed by the sender all the same. */
const HELD = 24 * FRESH;
/** How long nobody is asked after a failure. Each call would wait for another one. */
const PAUSE = 10 * SECOND;

/** What is known of an address. Times are milliseconds since 1970. */
interface Known {
  readonly key: string | null;
  readonly fetchedAt: number;
  readonly triedAt: number;
  /** What went wrong the last time; null when nothing did. */
  readonly failure: unknown;
}

const nothing: Known = {
  key: null,
  fetchedAt: Number.NEGATIVE_INFINITY,
  triedAt: Number.NEGATIVE_INFINITY,
  failure: null,
};

/** The keys of addresses, by `fetchKey`, which throws an Error whose message says in a few words what is wrong. */
export function publishedKeys(
  fetchKey: (address: string) => Promise<string>,
  clock: Pick<Clock, 'now'>,
): PublishedKeys {
  const known = new Map<string, Known>();
  const underWay = new Map<string, Promise<Known>>();

  async function ask(address: string, before: Known): Promise<Known> {
    const triedAt = clock.now();
    const found = await fetchKey(address).then(
      (key): Known => ({ key, fetchedAt: triedAt, triedAt, failure: null }),
      (failure: unknown): Known => ({ ...before, triedAt, failure: failure ?? new Error('it failed') }),
    );
    known.set(address, found);
    underWay.delete(address);
    return found;
  }

  /** What is known, asked for again when that was longer ago than so many milliseconds. Calls at one time ask once. */
  async function knownSince(address: string, most: { readonly ok: number; readonly failed: number }): Promise<Known> {
    const before = known.get(address) ?? nothing;
    const age = clock.now() - before.triedAt;
    if (age < (before.failure === null ? most.ok : most.failed)) return before;
    const asking = underWay.get(address) ?? ask(address, before);
    underWay.set(address, asking);
    return asking;
  }

  return {
    async at(address) {
      const held = known.get(address);
      if (held?.key && clock.now() < held.fetchedAt + FRESH) return held.key;
      const { key, fetchedAt, failure } = await knownSince(address, { ok: FRESH, failed: PAUSE });
      if (key !== null && clock.now() < fetchedAt + HELD) return key;
      throw unreachable(address, failure);
    },
    async renewed(address) {
      const { key, failure } = await knownSince(address, { ok: MINUTE, failed: PAUSE });
      if (key !== null && failure === null) return key;
      throw unreachable(address, failure);
    },
  };
}

function unreachable(address: string, cause: unknown): DeployError {
  const why = cause instanceof Error ? cause.message : 'it did not answer';
  const detail = `The key for this signature could not be fetched from ${new URL(address).host}: ${why}. Nothing was stored; send the delivery again.`;
  return new DeployError('mw:auth:auth_server_down', detail, { cause });
}
