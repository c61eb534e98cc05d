import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type Access, all, allow } from './access.ts';

/** Reads entries, one by one and in pages. */
export function readLog(log: TableV2): Access {
  return {
    environment: { LOG_TABLE: log.tableName },
    statements: [
      allow(['dynamodb:GetItem', 'dynamodb:Query'], log.tableArn),
      allow(['dynamodb:Query'], `${log.tableArn}/index/byApp`),
    ],
  };
}

/** Reads the number of a user's last change. */
export function readCounters(log: TableV2): Access {
  return { environment: { LOG_TABLE: log.tableName }, statements: [allow(['dynamodb:GetItem'], log.tableArn)] };
}

/** Receives the changes of the log: Lambda's poller reads the stream with the function's role. */
export function readLogStream(log: TableV2): Access {
  if (!log.tableStreamArn) throw new Error('The table of the log has no stream.');
  const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
  return {
    statements: [
      allow(
        actions.map((action) => `dynamodb:${action}`),
        log.tableStreamArn,
      ),
    ],
  };
}

/** Reads and writes the log. A transaction needs the permissions of the actions in it. */
export function writeLog(log: TableV2): Access {
  const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'].map((action) => `dynamodb:${action}`);
  return all(readLog(log), { statements: [allow(writes, log.tableArn)] });
}

/** Finds what is due: expired holds, stuck deploys. */
export function findDue(log: TableV2): Access {
  return { statements: [allow(['dynamodb:Query'], `${log.tableArn}/index/byDue`)] };
}
