import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type Access, all, allow } from './access.ts';
import { queryLog, readEntries } from './log.ts';

/** Reads and changes users, who are in the table of the log, with their passwords and API tokens. */
export function changeUsers(log: TableV2): Access {
  return all(readEntries(log), { statements: [allow(['dynamodb:PutItem'], log.tableArn)] });
}

/** Adds, lists and removes users, for the operator. */
export function manageUsers(log: TableV2): Access {
  return all(changeUsers(log), queryLog(log), { statements: [allow(['dynamodb:DeleteItem'], log.tableArn)] });
}
