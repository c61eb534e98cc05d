import * as v from 'valibot';
import type { Emulators } from '../../emulators/emulators.ts';

/**
 * The calls that read a table's stream, without the SDK, which would parse every value: on the wire a record is almost
 * what a Lambda function gets.
 *
 * Each call rejects with the error of the service.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html
 */
export interface StreamsApi {
  shards(streamArn: string): Promise<readonly Shard[]>;
  /** Returns an iterator at one end of a shard, or after a record. */
  iterator(streamArn: string, shardId: string, from: StartPosition): Promise<string>;
  /** Returns the next records, at most `limit`, and the next iterator; null at the end of the shard. */
  records(
    iterator: string,
    most: number,
  ): Promise<{ readonly records: readonly WireRecord[]; readonly next: string | null }>;
}

type StartPosition = 'LATEST' | 'TRIM_HORIZON' | { readonly after: string };

const shard = v.object({ ShardId: v.string() });
type Shard = v.InferOutput<typeof shard>;

/** Not validated: only the function reads the attributes of an item. */
const image = v.custom<object>((value) => typeof value === 'object' && value !== null);
const wireRecord = v.object({
  eventID: v.optional(v.string()),
  eventName: v.optional(v.string()),
  eventVersion: v.optional(v.string()),
  dynamodb: v.object({
    ApproximateCreationDateTime: v.number(),
    Keys: image,
    NewImage: v.exactOptional(image),
    OldImage: v.exactOptional(image),
    SequenceNumber: v.string(),
    SizeBytes: v.optional(v.number()),
    StreamViewType: v.optional(v.string()),
  }),
});
/** A record on the wire: attribute values by type, bytes in base64, time in seconds. */
export type WireRecord = v.InferOutput<typeof wireRecord>;

const described = v.object({ StreamDescription: v.object({ Shards: v.optional(v.array(shard), []) }) });
const placed = v.object({ ShardIterator: v.string() });
const read = v.object({
  Records: v.optional(v.array(wireRecord), []),
  NextShardIterator: v.nullish(v.string(), null),
});

/** Returns the calls to the emulator. */
export function streamsApi({ send }: Pick<Emulators, 'send'>): StreamsApi {
  const call = (operation: string, input: object) => send(operation, input, 'DynamoDBStreams');
  return {
    shards: async (StreamArn) =>
      v.parse(described, await call('DescribeStream', { StreamArn })).StreamDescription.Shards,
    iterator: async (StreamArn, ShardId, from) => {
      const place =
        typeof from === 'string'
          ? { ShardIteratorType: from }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: from.after };
      return v.parse(placed, await call('GetShardIterator', { StreamArn, ShardId, ...place })).ShardIterator;
    },
    records: async (ShardIterator, Limit) => {
      const { Records, NextShardIterator } = v.parse(read, await call('GetRecords', { ShardIterator, Limit }));
      return { records: Records, next: NextShardIterator };
    },
  };
}
