// The records of a journal. What a crash or another program has made of a line must not end the start, so each is
// checked before it is applied.
import * as v from 'valibot';

const message = v.looseObject({
  messageId: v.string(),
  body: v.string(),
  md5OfBody: v.string(),
  messageAttributes: v.record(v.string(), v.looseObject({})),
  sentTimestamp: v.number(),
  keptSince: v.optional(v.number()),
  approximateReceiveCount: v.number(),
  delayUntil: v.optional(v.number()),
  messageGroupId: v.optional(v.string()),
  messageDeduplicationId: v.optional(v.string()),
  sequenceNumber: v.optional(v.pipe(v.string(), v.digits())),
});
const receipt = v.looseObject({ handle: v.string(), until: v.number() });
const received = v.looseObject({ id: v.string(), count: v.number(), handle: v.string(), until: v.number() });
const duplicate = v.looseObject({ messageId: v.string(), at: v.number() });
const queue = v.string();

const record = v.variant('did', [
  v.object({
    queue,
    did: v.literal('remembered'),
    sequence: v.number(),
    duplicates: v.array(v.tuple([v.string(), duplicate])),
  }),
  v.object({ queue, did: v.literal('kept'), message, receipt: v.nullish(receipt) }),
  v.object({ queue, did: v.literal('sent'), message }),
  v.object({ queue, did: v.literal('moved'), message, from: v.string() }),
  v.object({ queue, did: v.literal('received'), receipts: v.array(received) }),
  v.object({ queue, did: v.literal('changed'), id: v.string(), until: v.nullable(v.number()) }),
  v.object({ queue, did: v.literal('deleted'), id: v.string() }),
  v.object({ queue, did: v.literal('purged') }),
  v.object({ queue, did: v.literal('dropped') }),
]);

/** Returns the record in a line; undefined when it is none. */
export function recordIn(line) {
  try {
    const { success, output } = v.safeParse(record, JSON.parse(line));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}
