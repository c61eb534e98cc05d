// A queue that writes to a journal what happens to its messages.
import { DEDUPLICATION_MS, expiryOf } from './replay.mjs';
import { Retention } from './retention.mjs';

/** The emulator takes another store, and exports no class of it. */
const { SqsQueue } = await import(new URL('sqs/sqsStore.js', import.meta.resolve('fauxqs')).href);
const { SqsError } = await import(new URL('common/errors.js', import.meta.resolve('fauxqs')).href);

const CANNOT_WRITE = 'The message cannot be stored: the disk may be full.';

export class KeptQueue extends SqsQueue {
  #journal;
  #transfer;
  #retention = new Retention(() => this.#expire());

  /** `transfer.from` is the name of the queue whose messages move to this one, while they do. */
  constructor({ name, url, arn, attributes, tags }, { journal, transfer }) {
    super(name, url, arn, attributes, tags);
    this.#journal = journal;
    this.#transfer = transfer;
  }

  /** Restores its messages but those that are too old by now, and the ids that it does not take again. */
  restore({ sequence, duplicates, messages }) {
    this.sequenceCounter = sequence;
    for (const [id, { at, ...sent }] of duplicates) this.#remember(id, sent, at + DEDUPLICATION_MS);
    for (const { message, receipt } of messages.values()) {
      if (receipt) this.#restoreReceipt(message, receipt);
      else super.enqueue(message);
    }
    this.#retention.apply();
  }

  /** Makes the messages visible that were in flight when it was restored, unless the receiver chose when they are. */
  giveBack() {
    for (const [handle, { isOld, isChanged }] of this.inflightMessages) {
      if (isOld && !isChanged) this.changeVisibility(handle, 0);
    }
  }

  *records() {
    const duplicates = [...this.deduplicationCache.items.values()].map(({ key, value, expiry }) => [
      key,
      { ...value, at: expiry - DEDUPLICATION_MS },
    ]);
    yield { queue: this.name, did: 'remembered', sequence: this.sequenceCounter, duplicates };
    for (const entry of this.inflightMessages.values()) {
      const { message, receiptHandle: handle, visibilityDeadline: until, isChanged } = entry;
      yield { queue: this.name, did: 'kept', message, receipt: { handle, until, isChanged } };
    }
    const { ready, delayed } = this.inspectMessages();
    for (const message of [...ready, ...delayed]) yield { queue: this.name, did: 'kept', message };
  }

  enqueue(message) {
    const { from } = this.#transfer;
    if (from !== undefined) this.#takeOver(message, from);
    else this.#keep(message);
    super.enqueue(message);
    this.#retention.expect(this.#expiryOf(message));
  }

  dequeue(...options) {
    this.#transfer.from = this.name;
    try {
      const received = super.dequeue(...options);
      const receipts = received.map(({ ReceiptHandle }) => receiptOf(this.inflightMessages.get(ReceiptHandle)));
      if (receipts.length > 0) this.#note({ did: 'received', receipts });
      return received;
    } finally {
      this.#transfer.from = undefined;
    }
  }

  deleteMessage(handle) {
    const entry = this.inflightMessages.get(handle);
    const isDeleted = super.deleteMessage(handle);
    if (entry) this.#note({ did: 'deleted', id: entry.message.messageId });
    return isDeleted;
  }

  changeVisibility(handle, seconds) {
    const entry = this.inflightMessages.get(handle);
    super.changeVisibility(handle, seconds);
    if (!entry) return;
    entry.isChanged = true;
    const until = seconds === 0 ? null : entry.visibilityDeadline;
    this.#note({ did: 'changed', id: entry.message.messageId, until });
  }

  purge() {
    super.purge();
    this.#note({ did: 'purged' });
  }

  setAttributes(attributes) {
    super.setAttributes(attributes);
    this.#retention.apply();
  }

  /** The queue is deleted, or the emulator ends. */
  cancelWaiters() {
    super.cancelWaiters();
    this.#retention.stop();
  }

  #expiryOf(message) {
    return expiryOf(message, Number(this.attributes.MessageRetentionPeriod) * 1000);
  }

  /** Deletes what is older than this queue keeps it, also what is in flight. Returns when the next message will be. */
  #expire() {
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    const isKept = (message) => {
      const expiry = this.#expiryOf(message);
      if (expiry > now) next = Math.min(next, expiry);
      else this.#note({ did: 'deleted', id: message.messageId });
      return expiry > now;
    };
    this.messages = this.messages.filter(isKept);
    this.delayedMessages = this.delayedMessages.filter(isKept);
    for (const groups of [this.fifoMessages, this.fifoDelayed]) {
      for (const [group, messages] of groups) groups.set(group, messages.filter(isKept));
    }
    // Last: this unlocks groups, and lets waiting receivers look for what is left of these.
    for (const [handle, { message }] of this.inflightMessages) if (!isKept(message)) super.deleteMessage(handle);
    return next;
  }

  /**
   * Of another queue, whose failure queue this is. Only in a FIFO queue its time begins anew:
   * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html
   */
  #takeOver(message, from) {
    if (this.isFifo()) message.keptSince = Date.now();
    this.#note({ did: 'moved', message, from });
  }

  /** A message that cannot be stored is refused. Its id must not hold then, or sending it again would do nothing. */
  #keep(message) {
    try {
      this.#journal.append({ queue: this.name, did: 'sent', message });
    } catch {
      this.deduplicationCache.delete(message.messageDeduplicationId);
      throw new SqsError('ServiceUnavailable', CANNOT_WRITE, 503, false);
    }
  }

  /** Not an error when it cannot be written: the message may come once more, as any message may. */
  #note(record) {
    try {
      this.#journal.append({ queue: this.name, ...record });
    } catch {
      // The journal makes up for it.
    }
  }

  /** The emulator's cache counts from now, and not from when the message was sent. */
  #remember(id, sent, expiry) {
    if (expiry <= Date.now()) return;
    this.recordDeduplication(id, sent.messageId, sent.sequenceNumber);
    this.deduplicationCache.items.get(id).expiry = expiry;
  }

  #restoreReceipt(message, { handle, until, isChanged }) {
    const entry = { message, receiptHandle: handle, visibilityDeadline: until, isChanged, isOld: true };
    this.inflightMessages.set(handle, entry);
    const group = message.messageGroupId;
    if (this.isFifo() && group) this.fifoLockedGroups.set(group, (this.fifoLockedGroups.get(group) ?? 0) + 1);
  }
}

function receiptOf({ message, receiptHandle, visibilityDeadline }) {
  return {
    id: message.messageId,
    count: message.approximateReceiveCount,
    first: message.approximateFirstReceiveTimestamp,
    handle: receiptHandle,
    until: visibilityDeadline,
  };
}
