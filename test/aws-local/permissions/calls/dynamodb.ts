import { ACCOUNT, REGION } from '../../clients.ts';
import { isRecord, listOf, recordOf } from '../../template/intrinsics.ts';
import type { Call } from '../guard.ts';

const ON_ITEM = new Set(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem']);
const PARTS_OF_TRANSACTION: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/**
 * Returns the permissions that a request to DynamoDB needs; undefined for an operation that is not known here.
 *
 * @param target `X-Amz-Target`, such as `DynamoDB_20120810.GetItem`
 * @param input the request's body
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function dynamodbCalls(target: string, input: Readonly<Record<string, unknown>>): Call[] | undefined {
  const [, operation = ''] = /^DynamoDB_20120810\.(\w+)$/.exec(target) ?? [];
  if (ON_ITEM.has(operation)) return [on(operation, input.TableName)];
  if (operation === 'Query') return [on(operation, input.TableName, input.IndexName)];
  if (operation === 'BatchGetItem')
    return Object.keys(recordOf(input.RequestItems)).map((table) => on(operation, table));
  return operation === 'TransactWriteItems' ? partsOf(listOf(input.TransactItems)) : undefined;
}

/** A transaction needs the permissions of the actions in it. */
function partsOf(items: readonly unknown[]): Call[] | undefined {
  const parts = items.filter(isRecord).flatMap((item) => Object.entries(item));
  if (parts.some(([kind]) => !Object.hasOwn(PARTS_OF_TRANSACTION, kind))) return undefined;
  return parts.map(([kind, part]) => on(PARTS_OF_TRANSACTION[kind] ?? kind, recordOf(part).TableName));
}

function on(operation: string, table: unknown, index?: unknown): Call {
  const arn = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}`;
  return { action: `dynamodb:${operation}`, resource: index === undefined ? arn : `${arn}/index/${index}` };
}
