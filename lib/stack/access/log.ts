import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type Access, all, allow } from './access.ts';

/** Reads entries, users and other items, one by one. */
export function readEntries(log: TableV2): Access {
  return { environment: { LOG_TABLE: log.tableName }, statements: [allow(['dynamodb:GetItem'], log.tableArn)] };
}

/** Reads ranges of a user's items: changes, entries, what is known of a repository's commits. */
export function queryLog(log: TableV2): Access {
  return { statements: [allow(['dynamodb:Query'], log.tableArn)] };
}

/** Reads the entries of one application, and what is found in an index at once. */
export function queryApps(log: TableV2): Access {
  const read = allow(['dynamodb:BatchGetItem'], log.tableArn);
  return { statements: [allow(['dynamodb:Query'], `${log.tableArn}/index/byApp`), read] };
}

/** Reads the number of a user's last change, and has the next ones signalled. */
export function watchLog(log: TableV2): Access {
  return all(readEntries(log), { statements: [allow(['dynamodb:UpdateItem'], log.tableArn)] });
}

/** Receives the changes of the log: Lambda's poller reads the stream with the function's role. */
export function readLogStream(log: TableV2): Access {
  if (!log.tableStreamArn) throw new Error('The table of the log has no stream.');
  const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
  return {
    statements: [
      allow(
        actions.map((action) => `dynamodb:${action}`),
        log.tableStreamArn,
      ),
      // Lambda asks for it, and it cannot be limited to a stream:
      // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
      allow(['dynamodb:ListStreams'], '*'),
    ],
  };
}

/** Reads and writes entries; none can be deleted. A transaction needs the permissions of the actions in it. */
export function writeLog(log: TableV2): Access {
  return all(readEntries(log), { statements: [allow(['dynamodb:PutItem', 'dynamodb:UpdateItem'], log.tableArn)] });
}

/** Appends entries, with the payloads that they were made from. */
export function appendEntries({ log, payloads }: { readonly log: TableV2; readonly payloads: TableV2 }): Access {
  return all(writeLog(log), {
    environment: { PAYLOADS_TABLE: payloads.tableName },
    statements: [allow(['dynamodb:PutItem'], payloads.tableArn)],
  });
}

/** Changes items that exist: closes entries that have ended. */
export function closeEntries(log: TableV2): Access {
  return { statements: [allow(['dynamodb:UpdateItem'], log.tableArn)] };
}

/** Finds what is due: expired holds, stuck deploys. */
export function findDue(log: TableV2): Access {
  return { statements: [allow(['dynamodb:Query'], `${log.tableArn}/index/byDue`)] };
}
