import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { trace } from './trace.ts';

/** That the log of a user has grown. */
export interface Growth {
  readonly user: string;
  /** Number of the user's last change by then. */
  readonly last: number;
}

/** Users that are worked on beside each other. */
const AT_ONCE = 10;

/**
 * The handler of the log table's stream, filtered to the counters of users. Of several records of a user in a batch only
 * the newest is worked on: a signal says how far the log is, not what happened. A user for whom `tell` throws is reported,
 * with that user's first record, and comes again with what follows it; telling twice does no harm.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export function logStreamTrigger(tell: (growth: Growth) => Promise<void>) {
  return async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const news = [...coalesced(event.Records)];
    const failed: string[] = [];
    const work = async () => {
      for (let next = news.shift(); next; next = news.shift()) {
        try {
          await tell(next.growth);
        } catch (error) {
          trace('signal failed', { error });
          failed.push(next.first);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

interface News {
  readonly growth: Growth;
  /** Sequence number of the user's first record in the batch. */
  readonly first: string;
}

function coalesced(records: readonly DynamoDBRecord[]): Iterable<News> {
  const found = new Map<string, News>();
  for (const record of records) {
    const growth = readGrowth(record);
    if (!growth) continue;
    const known = found.get(growth.user);
    const first = known?.first ?? record.dynamodb?.SequenceNumber ?? '';
    found.set(growth.user, { first, growth: known && known.growth.last > growth.last ? known.growth : growth });
  }
  return found.values();
}

function readGrowth({ dynamodb }: DynamoDBRecord): Growth | null {
  const user = dynamodb?.Keys?.pk?.S;
  const last = Number(dynamodb?.NewImage?.changes?.N);
  return dynamodb?.Keys?.sk?.S === 'HEAD' && user && last > 0 ? { user, last } : null;
}
