import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { ACCOUNT, REGION } from '../../clients.ts';
import { failedIds } from '../event-source-mapping.ts';
import type { WireRecord } from './api.ts';
import type { ShardReader } from './shards.ts';

type Records = readonly StreamRecord[];
type Delivery = ShardReader;

/** Why records are discarded, and after how many invocations. */
interface Cause {
  readonly condition: 'RecordAgeExceeded' | 'RetryAttemptsExhausted';
  readonly invocations: number;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Invokes the function with a batch until it has succeeded or is discarded by the mapping's retries or age and reported
 * to its failure queue. Never rejects. A failed batch is bisected if the mapping says so; when the function reports the
 * records that failed, it is retried from the first of them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export async function deliver(records: Records, delivery: Delivery, tries = 0): Promise<void> {
  const { mapping, signal } = delivery;
  const [young, old] = byAge(records, mapping.maximumAgeSeconds);
  await giveUp(old, delivery, { condition: 'RecordAgeExceeded', invocations: tries });
  if (young.length === 0 || signal.aborted) return;
  const left = await attempt(young, delivery);
  if (left.length === 0 || signal.aborted) return;
  if (mapping.bisects && left.length > 1) return halve(left, delivery, tries);
  if (left.length < young.length) return deliver(left, delivery);
  if (tries >= mapping.retries) {
    return giveUp(left, delivery, { condition: 'RetryAttemptsExhausted', invocations: tries + 1 });
  }
  await sleep(Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS), undefined, { signal }).catch(() => {});
  return deliver(left, delivery, tries + 1);
}

/** Bisection finds the bad record. It does not count as a retry, because the halves have not been tried yet. */
async function halve(records: Records, delivery: Delivery, tries: number): Promise<void> {
  const middle = Math.ceil(records.length / 2);
  await deliver(records.slice(0, middle), delivery, tries);
  await deliver(records.slice(middle), delivery, tries);
}

/** Returns the records that remain after one invocation. */
async function attempt(records: Records, { mapping, functions, signal, warn }: Delivery): Promise<Records> {
  try {
    const response = await functions.invoke(mapping.functionName, { Records: records });
    if (!mapping.reportsFailures) return [];
    const ids = records.map((record) => record.dynamodb.SequenceNumber);
    const failed = failedIds(response, ids);
    const first = ids.findIndex((id) => failed.has(id));
    return first === -1 ? [] : records.slice(first);
  } catch (error) {
    if (!signal.aborted) {
      warn(
        `${mapping.functionName} failed on ${records.length} stream records: ${error instanceof Error ? error.message : error}`,
      );
    }
    return records;
  }
}

function byAge(records: Records, limitSeconds: number): [young: Records, old: Records] {
  const oldest = Date.now() / 1000 - limitSeconds;
  const isOld = (record: StreamRecord) => record.dynamodb.ApproximateCreationDateTime < oldest;
  return [records.filter((record) => !isOld(record)), records.filter(isOld)];
}

async function giveUp(records: Records, delivery: Delivery, cause: Cause): Promise<void> {
  const { mapping, queues, endpoints, signal, warn } = delivery;
  if (records.length === 0 || signal.aborted) return;
  warn(`${mapping.functionName}: ${records.length} stream records were discarded (${cause.condition}).`);
  if (mapping.failureQueue === undefined) return;
  const QueueUrl = `${endpoints.sqs}/${ACCOUNT}/${mapping.failureQueue}`;
  const MessageBody = JSON.stringify(failureOf(records, delivery, cause));
  const sending = queues.send(new SendMessageCommand({ QueueUrl, MessageBody }), { abortSignal: signal });
  await sending.catch((error: Error) =>
    warn(`The failure queue ${mapping.failureQueue} accepted no message: ${error.message}`),
  );
}

/** What finds the records again: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html */
function failureOf(records: Records, { mapping, shardId }: Delivery, { condition, invocations }: Cause): object {
  return {
    requestContext: {
      condition,
      approximateInvokeCount: invocations,
    },
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: records[0]?.dynamodb.SequenceNumber,
      endSequenceNumber: records.at(-1)?.dynamodb.SequenceNumber,
      batchSize: records.length,
      streamArn: mapping.sourceArn,
    },
  };
}

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
