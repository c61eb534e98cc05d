import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { trace } from './trace.ts';

/** That the log of a user has grown. */
export interface Growth {
  readonly user: string;
  /** Number of the user's last change by then. */
  readonly last: number;
  /** The changes that it has grown by, as JSON and in their order; there may be others between them. */
  readonly changes: readonly string[];
}

/** Users that are worked on beside each other. */
const AT_ONCE = 10;

/**
 * The handler of the log table's stream, filtered to new changes. Those of a user in a batch are told of together. A user
 * for whom `tell` throws is reported, with that user's first record, and comes again with what follows it; telling twice
 * does no harm.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export function logStreamTrigger(tell: (growth: Growth) => Promise<void>) {
  return async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const news = [...byUser(event.Records)];
    const failed: string[] = [];
    const work = async () => {
      for (let next = news.shift(); next; next = news.shift()) {
        const [user, changes] = next;
        try {
          await tell(growth(user, changes));
        } catch (error) {
          trace('signal failed', { error });
          failed.push(changes[0]?.at ?? '');
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

/** A change as the stream tells of it. */
interface NewChange {
  readonly user: string;
  readonly seq: number;
  readonly json: string;
  /** Sequence number of the record. */
  readonly at: string;
}

function byUser(records: readonly DynamoDBRecord[]): Map<string, NewChange[]> {
  const users = new Map<string, NewChange[]>();
  for (const record of records) {
    const change = readChange(record);
    if (!change) continue;
    const known = users.get(change.user);
    if (known) known.push(change);
    else users.set(change.user, [change]);
  }
  return users;
}

function growth(user: string, changes: readonly NewChange[]): Growth {
  const ordered = [...changes].sort((one, other) => one.seq - other.seq);
  return { user, last: ordered.at(-1)?.seq ?? 0, changes: ordered.map(({ json }) => json) };
}

function readChange({ dynamodb }: DynamoDBRecord): NewChange | null {
  const user = dynamodb?.Keys?.pk?.S;
  const [, digits] = /^C#(\d+)$/.exec(dynamodb?.Keys?.sk?.S ?? '') ?? [];
  const json = dynamodb?.NewImage?.doc?.S;
  if (!user || !digits || !json) return null;
  return { user, seq: Number(digits), json, at: dynamodb?.SequenceNumber ?? '' };
}
