// When messages are older than their queue keeps them.

/** Messages of about the same age go together: SQS does not delete them to the second either. */
const TOGETHER_MS = 1000;

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
    this.#timer = setTimeout(() => this.apply(), Math.max(TOGETHER_MS, at - Date.now())).unref();
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
