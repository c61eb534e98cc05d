import { REGION } from '../../clients.ts';
import type { WireRecord } from './api.ts';

/** A record in Lambda's event. */
export interface StreamRecord {
  readonly eventID: string | undefined;
  readonly eventName: string | undefined;
  readonly eventSource: 'aws:dynamodb';
  readonly eventVersion: string | undefined;
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly dynamodb: WireRecord['dynamodb'];
}

/**
 * Returns a record of the stream in the form of Lambda's event: the template's ARN and region in place of the
 * emulator's. Expired items have no `userIdentity`: here they are deleted like any other.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export function fromStream({ eventID, eventName, eventVersion, dynamodb }: WireRecord, arn: string): StreamRecord {
  const ApproximateCreationDateTime = Math.floor(dynamodb.ApproximateCreationDateTime);
  return {
    eventID,
    eventName,
    eventVersion,
    eventSource: 'aws:dynamodb',
    awsRegion: REGION,
    eventSourceARN: arn,
    dynamodb: { ...dynamodb, ApproximateCreationDateTime },
  };
}
