import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { forEachLimit } from '../core/concurrency.ts';
import { unpackedJson } from '../core/entry/packed.ts';
import { trace } from './trace.ts';

export interface LogUpdate {
  readonly user: string;
  /** Number of the last of the changes. */
  readonly last: number;
  /** The new changes as the log stores them, in order: `storedEntry` reads them. There may be gaps between them. */
  readonly changes: readonly string[];
}

/** Users that are notified at a time. */
const MAX_USERS = 10;

/**
 * Returns the handler of the log table's stream, filtered to new changes. It calls `notify` once for each user of a
 * batch. A user whose notification throws is reported by the user's first record, and Lambda sends the batch again from
 * there: notifying twice does no harm.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export function logStreamTrigger(notify: (update: LogUpdate) => Promise<void>) {
  return async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const failed: string[] = [];
    await forEachLimit(byUser(event.Records), MAX_USERS, async ([user, changes]) => {
      try {
        await notify(updateOf(user, changes));
      } catch (error) {
        trace('signal failed', { error });
        failed.push(changes[0]?.sequenceNumber ?? '');
      }
    });
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

interface NewChange {
  readonly user: string;
  readonly seq: number;
  readonly json: string;
  /** The sequence number of the record in its stream. */
  readonly sequenceNumber: string;
}

function byUser(records: readonly DynamoDBRecord[]): Map<string, NewChange[]> {
  const users = new Map<string, NewChange[]>();
  for (const record of records) {
    const change = readChange(record);
    if (!change) continue;
    const others = users.get(change.user);
    if (others) others.push(change);
    else users.set(change.user, [change]);
  }
  return users;
}

function updateOf(user: string, changes: readonly NewChange[]): LogUpdate {
  const ordered = [...changes].sort((one, other) => one.seq - other.seq);
  return { user, last: ordered.at(-1)?.seq ?? 0, changes: ordered.map(({ json }) => json) };
}

function readChange({ dynamodb }: DynamoDBRecord): NewChange | null {
  const user = dynamodb?.Keys?.pk?.S;
  const [, digits] = /^C#(\d+)$/.exec(dynamodb?.Keys?.sk?.S ?? '') ?? [];
  const packed = dynamodb?.NewImage?.doc?.B;
  if (!user || !digits || !packed) return null;
  const json = unpackedJson(Buffer.from(packed, 'base64'));
  return { user, seq: Number(digits), json, sequenceNumber: dynamodb?.SequenceNumber ?? '' };
}
