/** Requests whose work begins in one turn of the event loop: as many take some milliseconds. */
const MOST = 16;
/** Requests wait so long at most for the connections of others. */
const HOLD_MS = 20;

/**
 * The order in which the work of requests begins, over all connections. Node takes one new connection in a turn of the
 * event loop (https://github.com/libuv/libuv/pull/3696), so a turn in which much is worked on keeps all other clients
 * waiting: those that connect at once are let in first, and each turn begins a few requests.
 */
export class Pace {
  readonly #waiting: Array<() => void> = [];
  /** Since when the first of them waits. */
  #since = 0;
  #hasConnected = false;

  /** A client has connected; others may wait for the next turn. */
  connected(): void {
    this.#hasConnected = true;
  }

  /** Resolves when the work of a request may begin. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) > 1) return;
      this.#since = performance.now();
      setImmediate(() => this.#begin());
    });
  }

  #begin(): void {
    const isHeld = this.#hasConnected && performance.now() - this.#since < HOLD_MS;
    this.#hasConnected = false;
    if (!isHeld) for (const begin of this.#waiting.splice(0, MOST)) begin();
    if (this.#waiting.length > 0) setImmediate(() => this.#begin());
  }
}
