import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type DatabaseAnswer, type Dynoxide, startDynoxide } from '../emulators/dynoxide.ts';
import { isRecord, listOf, recordOf } from '../template/intrinsics.ts';
import { chance } from './strict.ts';

/** Reads that do not ask for consistency are behind the writes, by a time that the seed decides. */
export interface Lag {
  readonly seed: number;
  /** The shortest and the longest time, in milliseconds. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** A database and a replica of it. */
export interface LaggingReads {
  /** Answers a request at once. */
  ask(headers: IncomingHttpHeaders, body: Buffer): Promise<DatabaseAnswer>;
  /** Answers a read that does not ask for consistency from the replica. */
  askLate(headers: IncomingHttpHeaders, body: Buffer): Promise<DatabaseAnswer>;
  close(): Promise<void>;
}

/** The input of an operation, as it was sent. */
type Input = Readonly<Record<string, unknown>>;
type Written = { readonly table: string; readonly item: Input };

/**
 * Starts a second database, which gets each write some time after the first one has it: what an index, or another
 * replica of a table, may do on AWS.
 *
 * @param main has no tables yet
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html
 */
export async function laggingReads(main: Dynoxide, lag: Lag): Promise<LaggingReads> {
  const replica = await startDynoxide();
  const keysOf = new Map<string, readonly string[]>();
  const follow = followItems({ main, replica, arrival: arrivals(lag) });
  const wrote = async (operation: string, input: Input) => {
    if (operation === 'CreateTable') {
      const { StreamSpecification: _, ...definition } = input;
      await replica.send(operation, definition);
      const keys = listOf(input.KeySchema).map((key) => String(recordOf(key).AttributeName));
      keysOf.set(String(input.TableName), keys);
    }
    for (const { table, item } of writtenBy(operation, input)) {
      const keys = keysOf.get(table) ?? [];
      follow(table, Object.fromEntries(keys.map((key) => [key, item[key]])));
    }
  };
  const ask: LaggingReads['ask'] = async (headers, body) => {
    const answer = await main.ask(headers, body);
    if (answer.status === 200) await wrote(operationOf(headers), JSON.parse(body.toString()));
    return answer;
  };
  return {
    ask,
    askLate: async (headers, body) =>
      isEventual(operationOf(headers), JSON.parse(body.toString())) ? replica.ask(headers, body) : ask(headers, body),
    close: replica.close,
  };
}

function operationOf(headers: IncomingHttpHeaders): string {
  return String(headers['x-amz-target']).split('.').at(-1) ?? '';
}

/** Returns a function that resolves when one more write arrives. */
function arrivals({ seed, fromMs = 50, toMs = 200 }: Lag): () => Promise<void> {
  let writes = 0;
  return () => {
    writes += 1;
    return pause(fromMs + (toMs - fromMs) * chance(seed, 'lag', writes));
  };
}

interface Following {
  readonly main: Dynoxide;
  readonly replica: Dynoxide;
  readonly arrival: () => Promise<void>;
}

/** Returns a function that copies an item some time after it was written. A copy never becomes older. */
function followItems({ main, replica, arrival }: Following): (table: string, key: Input) => void {
  const copying = new Map<string, Promise<void>>();
  const copy = async (TableName: string, Key: Input) => {
    const { Item } = await main.send('GetItem', { TableName, Key, ConsistentRead: true });
    await (Item ? replica.send('PutItem', { TableName, Item }) : replica.send('DeleteItem', { TableName, Key }));
  };
  return (table, key) => {
    const id = JSON.stringify([table, key]);
    // It fails when the database is closed meanwhile.
    const copied = Promise.all([copying.get(id), arrival()]).then(() => copy(table, key).catch(() => {}));
    copying.set(id, copied);
    void copied.then(() => {
      if (copying.get(id) === copied) copying.delete(id);
    });
  };
}

/** Whether a read takes an answer that is behind; one of an index always does. */
function isEventual(operation: string, input: Input): boolean {
  if (operation === 'BatchGetItem') {
    return Object.values(recordOf(input.RequestItems)).every((one) => recordOf(one).ConsistentRead !== true);
  }
  return ['GetItem', 'Query', 'Scan'].includes(operation) && input.ConsistentRead !== true;
}

/** Returns the items that a request writes, each with its key at least. */
function writtenBy(operation: string, input: Input): Written[] {
  if (['PutItem', 'UpdateItem', 'DeleteItem'].includes(operation)) return [writtenIn(input)];
  if (operation === 'BatchWriteItem') {
    return Object.entries(recordOf(input.RequestItems)).flatMap(([TableName, requests]) =>
      listOf(requests).map((one) => {
        const { PutRequest, DeleteRequest } = recordOf(one);
        return writtenIn({ TableName, ...recordOf(PutRequest), ...recordOf(DeleteRequest) });
      }),
    );
  }
  if (operation !== 'TransactWriteItems') return [];
  const parts = listOf(input.TransactItems).map(recordOf);
  return parts.flatMap(({ Put, Update, Delete }) => [Put, Update, Delete].filter(isRecord).map(writtenIn));
}

function writtenIn({ TableName, Item, Key }: Input): Written {
  return { table: String(TableName), item: recordOf(Item ?? Key) };
}
