// Queues whose messages survive a restart, as those of SQS do: the emulator's own store has them in memory. Plain
// JavaScript, as the worker that uses it.
import { Journal, readJournal } from './journal.mjs';
import { KeptQueue } from './queue.mjs';
import { recordsOf, replay } from './replay.mjs';

const { SqsStore } = await import(new URL('sqs/sqsStore.js', import.meta.resolve('fauxqs')).href);

/**
 * Returns a store whose messages are in a journal, also after a kill: with receive counts, receipts, visibility
 * timeouts, order and deduplication ids. A queue has its messages again when it is created again.
 */
export function keptQueues(path) {
  return new KeptQueues(path);
}

class KeptQueues extends SqsStore {
  /** The content of queues that have not been created since the start. */
  #waiting;
  #journal;
  #transfer = { from: undefined };

  constructor(path) {
    super();
    const { records, keptUntil, unread } = readJournal(path);
    this.keptUntil = keptUntil;
    this.unread = unread;
    this.#waiting = replay(records);
    this.#journal = new Journal(path, () => this.#records());
  }

  createQueue(name, url, arn, attributes, tags) {
    const parts = { journal: this.#journal, transfer: this.#transfer };
    const queue = new KeptQueue({ name, url, arn, attributes, tags }, parts);
    this.queues.set(url, queue);
    this.queuesByName.set(name, queue);
    this.queuesByArn.set(arn, queue);
    const kept = this.#waiting.get(name);
    if (kept) queue.restore(kept);
    this.#waiting.delete(name);
    return queue;
  }

  deleteQueue(url) {
    const name = this.getQueue(url)?.name;
    const isDeleted = super.deleteQueue(url);
    // What cannot be written now is not in the journal that is written next.
    if (isDeleted) this.#try(() => this.#journal.append({ queue: name, did: 'dropped' }));
    return isDeleted;
  }

  /** Makes messages visible whose receivers ended with the last process. */
  giveBack(names) {
    for (const name of names) this.getQueueByName(name)?.giveBack();
  }

  close() {
    this.#journal.close();
  }

  *#records() {
    for (const [name, kept] of this.#waiting) yield* recordsOf(name, kept);
    for (const queue of this.queues.values()) yield* queue.records();
  }

  #try(work) {
    try {
      work();
    } catch {}
  }
}
