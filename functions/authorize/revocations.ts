import type { Clock } from '../core/ports/clock.ts';

/** How long the request that revokes a token may take: API Gateway times out after 29 seconds. */
const REQUEST_MS = 30_000;
const MAX_USERS = 1000;

/** When users last revoked an API token, as far as this process has seen. */
export class Revocations {
  readonly #ends = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** The user is about to revoke a token. */
  begin(user: string): void {
    if (this.#ends.size >= MAX_USERS) this.#ends.clear();
    this.#ends.set(user, this.clock.now() + REQUEST_MS);
  }

  /** Returns when the user's last revocation is over, in milliseconds since 1970; 0 when there was none. */
  endOfLast(user: string): number {
    return this.#ends.get(user) ?? 0;
  }
}
