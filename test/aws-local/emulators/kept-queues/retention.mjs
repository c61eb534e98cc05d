// When messages are older than their queue keeps them.

/** Messages of about the same age go together: SQS does not delete them to the second either. */
const TOGETHER_MS = 1000;
/** The most that a timer takes; with more it fires at once. A clock that was ahead makes messages that are so young. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Has the messages of a queue deleted when their time has come. */
export class Retention {
  #expire;
  #timer;
  #dueAt = Number.POSITIVE_INFINITY;

  /** `expire` deletes what is too old, and returns when the next message is (milliseconds; `Infinity` for none). */
  constructor(expire) {
    this.#expire = expire;
  }

  /** A message will be too old at that time. */
  expect(at) {
    if (at >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    const waitMs = Math.min(Math.max(TOGETHER_MS, at - Date.now()), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.apply(), waitMs).unref();
  }

  /** Deletes what is too old by now. */
  apply() {
    this.stop();
    this.expect(this.#expire());
  }

  stop() {
    clearTimeout(this.#timer);
    this.#dueAt = Number.POSITIVE_INFINITY;
  }
}
