import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../lib/http/ports.ts';
import { identify } from '../access/check.ts';
import { dynamodbCalls } from '../permissions/calls/dynamodb.ts';
import type { Guard } from '../permissions/guard.ts';
import { OPERATOR_ONLY } from '../permissions/operator.ts';
import { recordOf } from '../template/intrinsics.ts';
import { type DatabaseAnswer, type Dynoxide, startDynoxide } from './dynoxide.ts';

/** A running DynamoDB-compatible endpoint. */
export interface DynamoDb {
  readonly endpoint: string;
  /** Returns how many requests that write were answered: with none since the last read, a stream has no records. */
  writes(): number;
  /** Calls an operation as the service itself, which needs no permission. */
  readonly send: Dynoxide['send'];
  close(): Promise<void>;
}

/** Options of the database. */
export interface DynamoDbOptions {
  /** For data that outlives the emulator; by default it is in memory. */
  readonly file?: string;
  /** Decides what callers may do; by default, only the operator may do anything. */
  readonly guard?: Guard;
}

/** Idle connections are closed: a frozen function does not notice, and has to survive it. */
const IDLE_MS = 1000;
const WRITE = /\.(?:Put|Update|Delete|BatchWrite|TransactWrite)Items?$/;

/**
 * Starts the DynamoDB emulator behind a server on a free port of 127.0.0.1, which takes signed requests and passes on
 * those that the caller's role allows.
 */
export async function startDynamoDb({ file, guard = OPERATOR_ONLY }: DynamoDbOptions = {}): Promise<DynamoDb> {
  const database = await startDynoxide(file);
  const answer = async (message: IncomingMessage): Promise<DatabaseAnswer> => {
    const body = await buffer(message);
    const { caller, refusal } = await identify(message, guard, { body });
    if (refusal !== undefined) return failure(403, 'InvalidSignatureException', `Refused: ${refusal}.`);
    if (!guard.principal(caller)?.statements) return database.ask(message.headers, body);
    const input = JSON.parse(body.toString());
    const target = String(message.headers['x-amz-target']);
    const denial = guard.denial(caller, dynamodbCalls(target, input));
    if (denial !== undefined) return failure(400, 'AccessDeniedException', denial);
    if (mayBeBehind(target, input)) return failure(400, 'ValidationException', BEHIND);
    return database.ask(message.headers, body);
  };
  let writes = 0;
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (message, response) => {
    const answered = answer(message).finally(() => {
      if (WRITE.test(String(message.headers['x-amz-target']))) writes += 1;
    });
    answered.then(
      // Named here, so that Node does not announce the timeout, by which a client would close the connection itself.
      ({ status, headers, body }) => response.writeHead(status, { ...headers, connection: 'keep-alive' }).end(body),
      () => response.destroy(),
    );
  });
  const port = await listen(server, 0);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    writes: () => writes,
    send: database.send,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await database.close();
    },
  };
}

const BEHIND = 'On AWS, a read of a table without ConsistentRead may be behind the writes: functions make none.';

/** An index has no consistent reads: who reads one knows it. */
function mayBeBehind(target: string, { RequestItems, IndexName, ConsistentRead }: Record<string, unknown>): boolean {
  const tables = Object.values(recordOf(RequestItems)).map(recordOf);
  if (target.endsWith('.BatchGetItem')) return tables.some((table) => table.ConsistentRead !== true);
  return /\.(?:GetItem|Query)$/.test(target) && IndexName === undefined && ConsistentRead !== true;
}

function failure(status: number, type: string, message: string): DatabaseAnswer {
  const body = Buffer.from(JSON.stringify({ __type: `com.amazon.coral.service#${type}`, message }));
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body };
}
