// The state that the records of a journal describe: the messages of each queue in their order, and what FIFO queues
// remember.

/** How long a deduplication id holds: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html */
export const DEDUPLICATION_MS = 5 * 60_000;
/** The most that a queue may be set to. */
const LONGEST_RETENTION_MS = 14 * 24 * 3_600_000;

/**
 * Returns the queues of the records by name. Messages are in the order in which they arrived, with the receipt of those
 * that are in flight. A record may be applied twice, and one about an unknown message has no effect.
 */
export function replay(records) {
  const queues = new Map();
  for (const record of records) EFFECTS[record.did](queueNamed(queues, record.queue), record, queues);
  return queues;
}

function queueNamed(queues, name) {
  const found = queues.get(name) ?? { sequence: 0, duplicates: new Map(), messages: new Map() };
  queues.set(name, found);
  return found;
}

const EFFECTS = {
  /** Of the whole state: what a FIFO queue remembers. */
  remembered: (queue, { sequence, duplicates }) => {
    queue.sequence = sequence;
    queue.duplicates = new Map(duplicates);
  },
  /** Of the whole state: a message with its receipt, if it is in flight. */
  kept: (queue, { message, receipt }) => {
    queue.messages.set(message.messageId, { message, receipt: receipt ?? null });
  },
  sent: (queue, { message }) => {
    const { messageId, sequenceNumber, messageDeduplicationId, sentTimestamp } = message;
    queue.messages.set(messageId, { message, receipt: null });
    if (sequenceNumber !== undefined) queue.sequence = Number(sequenceNumber);
    if (messageDeduplicationId === undefined) return;
    queue.duplicates.set(messageDeduplicationId, { messageId, sequenceNumber, at: sentTimestamp });
  },
  /** To this queue, which is the failure queue of another one. */
  moved: (queue, { message, from }, queues) => {
    queueNamed(queues, from).messages.delete(message.messageId);
    queue.messages.set(message.messageId, { message, receipt: null });
  },
  received: (queue, { receipts }) => {
    for (const { id, count, first, handle, until } of receipts) {
      const known = queue.messages.get(id);
      if (!known) continue;
      Object.assign(known.message, { approximateReceiveCount: count, approximateFirstReceiveTimestamp: first });
      known.receipt = { handle, until };
    }
  },
  /** The visibility timeout was changed; `until` is null for a message that was returned. */
  changed: (queue, { id, until }) => {
    const known = queue.messages.get(id);
    if (known?.receipt) known.receipt = until === null ? null : { ...known.receipt, until, isChanged: true };
  },
  deleted: (queue, { id }) => {
    queue.messages.delete(id);
  },
  purged: (queue) => {
    queue.messages.clear();
  },
  dropped: (_queue, { queue: name }, queues) => {
    queues.delete(name);
  },
};

/** Returns the records of a queue that has not been created again, without messages older than any retention period. */
export function* recordsOf(name, { sequence, duplicates, messages }) {
  const now = Date.now();
  const held = [...duplicates].filter(([, { at }]) => at + DEDUPLICATION_MS > now);
  const young = [...messages.values()].filter(({ message }) => expiryOf(message, LONGEST_RETENTION_MS) > now);
  if (held.length + young.length === 0) return;
  yield { queue: name, did: 'remembered', sequence, duplicates: held };
  for (const one of young) yield { queue: name, did: 'kept', ...one };
}

/** Returns until when a queue keeps a message, in milliseconds. */
export function expiryOf({ sentTimestamp, keptSince = sentTimestamp }, retentionMs) {
  return keptSince + retentionMs;
}
