// Answers reads that do not ask for consistency from a second database, in memory, which gets each write some time
// after the first one has it: what an index, or another replica of a table, may do on AWS. Plain JavaScript, because it
// runs in the process in front of the emulator.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html
import { setTimeout as pause } from 'node:timers/promises';
import { chance } from './chance.mjs';

const MAX_BATCH = 25;

/**
 * Copies all tables of the database into the replica, and returns what answers requests from one or the other.
 *
 * @param seed decides how long each write takes to arrive, from `fromMs` to `toMs` milliseconds
 */
export async function laggingReads({ main, replica, seed, fromMs = 50, toMs = 200 }) {
  const keysOf = new Map();
  let writes = 0;
  const arrival = () => {
    writes += 1;
    return pause(fromMs + (toMs - fromMs) * chance(seed, 'lag', writes));
  };
  const follow = followItems({ main, replica, arrival });
  const copyTable = async (name) => {
    const { Table } = await main.send('DescribeTable', { TableName: name });
    if (keysOf.has(name)) await replica.send('DeleteTable', { TableName: name });
    await replica.send('CreateTable', definitionOf(Table));
    keysOf.set(
      name,
      Table.KeySchema.map(({ AttributeName }) => AttributeName),
    );
    await copyItems({ main, replica }, name);
  };
  const wrote = async (operation, input) => {
    if (operation === 'CreateTable' || operation === 'UpdateTable') return copyTable(input.TableName);
    for (const { table, item } of writtenBy(operation, input)) {
      const keys = keysOf.get(table) ?? [];
      follow(table, Object.fromEntries(keys.map((key) => [key, item[key]])));
    }
  };
  for (const name of await tablesOf(main)) await copyTable(name);
  return {
    /** @param mayLag whether the caller has to live with old answers */
    answer: async ({ headers, body, mayLag }) => {
      const operation = `${headers['x-amz-target']}`.split('.').at(-1);
      const input = JSON.parse(body);
      if (mayLag && isEventual(operation, input)) return replica.ask(headers, body);
      const answer = await main.ask(headers, body);
      if (answer.status === 200) await wrote(operation, input);
      return answer;
    },
  };
}

/** Returns a function that copies an item some time after it was written. A copy never becomes older. */
function followItems({ main, replica, arrival }) {
  const copying = new Map();
  const copy = async (TableName, Key) => {
    const { Item } = await main.send('GetItem', { TableName, Key, ConsistentRead: true });
    await (Item ? replica.send('PutItem', { TableName, Item }) : replica.send('DeleteItem', { TableName, Key }));
  };
  return (table, key) => {
    const id = JSON.stringify([table, key]);
    const copied = Promise.all([copying.get(id), arrival()]).then(() => copy(table, key));
    copying.set(id, copied);
    void copied.then(() => {
      if (copying.get(id) === copied) copying.delete(id);
    });
  };
}

/** Whether a read takes an answer that is behind; one of an index always does. */
function isEventual(operation, input) {
  if (operation === 'BatchGetItem') return Object.values(input.RequestItems).every((one) => !one.ConsistentRead);
  return ['GetItem', 'Query', 'Scan'].includes(operation) && !input.ConsistentRead;
}

/** Returns the items that a request writes, each with its key at least. */
function writtenBy(operation, input) {
  const one = ({ TableName: table, Item, Key }) => ({ table, item: Item ?? Key });
  if (['PutItem', 'UpdateItem', 'DeleteItem'].includes(operation)) return [one(input)];
  if (operation === 'BatchWriteItem') {
    return Object.entries(input.RequestItems).flatMap(([TableName, requests]) =>
      requests.map(({ PutRequest, DeleteRequest }) => one({ TableName, ...PutRequest, ...DeleteRequest })),
    );
  }
  if (operation !== 'TransactWriteItems') return [];
  return input.TransactItems.flatMap(({ Put, Update, Delete }) => Put ?? Update ?? Delete ?? []).map(one);
}

async function tablesOf(main) {
  const { TableNames } = await main.send('ListTables', {});
  return TableNames;
}

async function copyItems({ main, replica }, TableName) {
  let ExclusiveStartKey;
  do {
    const { Items, LastEvaluatedKey } = await main.send('Scan', { TableName, ConsistentRead: true, ExclusiveStartKey });
    for (let at = 0; at < Items.length; at += MAX_BATCH) {
      const puts = Items.slice(at, at + MAX_BATCH).map((Item) => ({ PutRequest: { Item } }));
      await replica.send('BatchWriteItem', { RequestItems: { [TableName]: puts } });
    }
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

function definitionOf({ TableName, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes = [] }) {
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema: keys, Projection }) => ({
    IndexName,
    KeySchema: keys,
    Projection,
  }));
  return {
    ...{ TableName, AttributeDefinitions, KeySchema, BillingMode: 'PAY_PER_REQUEST' },
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
  };
}
