import { DeployError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports/system.ts';

/** The public keys that a sender publishes, cached by address. */
export interface PublishedKeys {
  /** Returns the key at the address, cached for an hour. Throws `mw:auth:auth_server_down`. */
  at(address: string): Promise<string>;
  /**
   * Returns the key after a signature did not match the cached one: fetched again, because senders replace their keys,
   * but at most once a minute, because anyone can send a wrong signature. Throws `mw:auth:auth_server_down`.
   */
  renewed(address: string): Promise<string>;
}

const MINUTE_MS = 60_000;
/** How long a key is used without fetching it again. */
const FRESH_MS = 60 * MINUTE_MS;
/** How long a key is used while fetching fails. */
const STALE_MS = 24 * FRESH_MS;
/** The pause after a failed request, so that not every call waits for another time-out. */
const RETRY_AFTER_MS = 10_000;

/** The last response of an address. Times are milliseconds since 1970. */
interface CachedKey {
  readonly key: string | null;
  readonly fetchedAt: number;
  readonly requestedAt: number;
  /** Why the last request failed; null when it did not. */
  readonly failure: unknown;
}

const nothingCached: CachedKey = {
  key: null,
  fetchedAt: Number.NEGATIVE_INFINITY,
  requestedAt: Number.NEGATIVE_INFINITY,
  failure: null,
};

/** Returns a cache over `fetchKey`, which throws an Error whose message says in a few words what is wrong. */
export function publishedKeys(
  fetchKey: (address: string) => Promise<string>,
  clock: Pick<Clock, 'now'>,
): PublishedKeys {
  const cache = new Map<string, CachedKey>();
  const pending = new Map<string, Promise<CachedKey>>();

  async function request(address: string, before: CachedKey): Promise<CachedKey> {
    const requestedAt = clock.now();
    const cached = await fetchKey(address).then(
      (key): CachedKey => ({ key, fetchedAt: requestedAt, requestedAt, failure: null }),
      (failure: unknown): CachedKey => ({ ...before, requestedAt, failure: failure ?? new Error('it failed') }),
    );
    cache.set(address, cached);
    pending.delete(address);
    return cached;
  }

  /** Returns the cached key, requested again when it is older than `maxAgeMs`. Concurrent calls share one request. */
  async function cachedFor(address: string, maxAgeMs: number): Promise<CachedKey> {
    const before = cache.get(address) ?? nothingCached;
    const ageMs = clock.now() - before.requestedAt;
    if (ageMs < (before.failure === null ? maxAgeMs : RETRY_AFTER_MS)) return before;
    const response = pending.get(address) ?? request(address, before);
    pending.set(address, response);
    return response;
  }

  return {
    async at(address) {
      const cached = cache.get(address);
      if (cached?.key && clock.now() < cached.fetchedAt + FRESH_MS) return cached.key;
      const { key, fetchedAt, failure } = await cachedFor(address, FRESH_MS);
      if (key !== null && clock.now() < fetchedAt + STALE_MS) return key;
      throw unreachable(address, failure);
    },
    async renewed(address) {
      const { key, failure } = await cachedFor(address, MINUTE_MS);
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
