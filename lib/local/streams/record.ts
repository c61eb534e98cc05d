import type { AttributeValue, _Record as Read } from '@aws-sdk/client-dynamodb-streams';
import { region } from '../clients.ts';

/** A record as Lambda gives it to a function. */
export interface StreamRecord {
  readonly eventID: string | undefined;
  readonly eventName: string | undefined;
  readonly eventSource: 'aws:dynamodb';
  readonly eventVersion: string | undefined;
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    /** Seconds since 1970. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: object;
    readonly NewImage?: object;
    readonly OldImage?: object;
    readonly SequenceNumber: string;
    readonly SizeBytes: number | undefined;
    readonly StreamViewType: string | undefined;
  };
}

/**
 * A record of the stream in the shape of Lambda's event: times in seconds, bytes in base64, the template's ARN and
 * region in place of the emulator's. Expired items carry no `userIdentity`: here they are deleted like any other.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export function fromStream(record: Read, eventSourceARN: string): StreamRecord {
  const { ApproximateCreationDateTime: created, Keys, NewImage, OldImage, ...change } = record.dynamodb ?? {};
  return {
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: record.eventVersion,
    eventSource: 'aws:dynamodb',
    awsRegion: region,
    eventSourceARN,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor((created?.getTime() ?? 0) / 1000),
      Keys: imageOf(Keys ?? {}),
      ...(NewImage && { NewImage: imageOf(NewImage) }),
      ...(OldImage && { OldImage: imageOf(OldImage) }),
      SequenceNumber: change.SequenceNumber ?? '',
      SizeBytes: change.SizeBytes,
      StreamViewType: change.StreamViewType,
    },
  };
}

function imageOf(image: Record<string, AttributeValue>): object {
  return Object.fromEntries(Object.entries(image).map(([name, value]) => [name, attributeOf(value)]));
}

function attributeOf(value: AttributeValue): object {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(attributeOf) };
  if (value.M) return { M: imageOf(value.M) };
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
