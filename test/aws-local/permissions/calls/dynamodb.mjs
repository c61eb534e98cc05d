// Plain JavaScript, because it runs in the process in front of the database; dynamodb.d.mts describes it.
import { ACCOUNT, REGION } from '../../place.mjs';

const ON_TABLE = new Set([
  ...['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'DescribeTable', 'DescribeTimeToLive'],
  ...['CreateTable', 'UpdateTable', 'DeleteTable', 'UpdateTimeToLive'],
]);
const PARTS_OF_TRANSACTION = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

export function dynamodbCalls(target, input) {
  const [, operation] = /^DynamoDB_20120810\.(\w+)$/.exec(target) ?? [];
  if (operation === undefined) return undefined;
  if (ON_TABLE.has(operation)) return [on(operation, input.TableName)];
  if (operation === 'Query' || operation === 'Scan') return [on(operation, input.TableName, input.IndexName)];
  if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
    return Object.keys(input.RequestItems ?? {}).map((table) => on(operation, table));
  }
  if (operation === 'TransactWriteItems' || operation === 'TransactGetItems') return partsOf(input.TransactItems ?? []);
  return operation === 'ListTables' ? [{ action: 'dynamodb:ListTables', resource: '*' }] : undefined;
}

/** A transaction needs the permissions of the actions in it. */
function partsOf(items) {
  const parts = items.flatMap((item) => Object.entries(item));
  if (parts.some(([kind]) => !Object.hasOwn(PARTS_OF_TRANSACTION, kind))) return undefined;
  return parts.map(([kind, { TableName }]) => on(PARTS_OF_TRANSACTION[kind], TableName));
}

function on(operation, table, index) {
  const arn = String(table).startsWith('arn:') ? table : `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}`;
  return { action: `dynamodb:${operation}`, resource: index === undefined ? arn : `${arn}/index/${index}` };
}
