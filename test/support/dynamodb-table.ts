import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { clientFor } from '../aws-local/clients.ts';
import { type Dynoxide, startDynoxide } from '../aws-local/emulators/dynoxide.ts';

const string = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });
const hash = (AttributeName: string) => ({ AttributeName, KeyType: 'HASH' as const });
const range = (AttributeName: string) => ({ AttributeName, KeyType: 'RANGE' as const });

/** A client for the emulator. */
export function emulatorClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient(clientFor(endpoint));
}

/**
 * Starts the emulator for the tests of a file, or of a `describe`. Returns what makes clients for it, which reach it without
 * the server that checks signatures and permissions.
 */
export function emulatedDatabase(prepare: (client: DynamoDBClient) => Promise<void> = async () => {}) {
  let database: Dynoxide | undefined;
  const client = () => emulatorClient(database?.endpoint ?? '');
  beforeAll(async () => {
    database = await startDynoxide();
    await prepare(client());
  });
  afterAll(() => database?.close());
  return client;
}

/** The tables of the log as `createLogTables` names them. */
export const LOG_TABLES = { table: 'log', payloads: 'payloads' } as const;

/** The name of the table of connections, which also has refused calls. */
export const CONNECTIONS = 'connections';

/** The table of the log as the stack declares it (a test of the stack holds them together). */
export const logTable: CreateTableCommandInput = {
  TableName: LOG_TABLES.table,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    ...['pk', 'sk', 'app_pk', 'app_sk', 'due_pk'].map(string),
    { AttributeName: 'due_at', AttributeType: 'N' },
  ],
  KeySchema: [hash('pk'), range('sk')],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byApp',
      KeySchema: [hash('app_pk'), range('app_sk')],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
    {
      IndexName: 'byDue',
      KeySchema: [hash('due_pk'), range('due_at')],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
};

/** Makes the log's tables. */
export async function createLogTables(client: DynamoDBClient): Promise<void> {
  await createKeyedTable(client, LOG_TABLES.payloads);
  await client.send(new CreateTableCommand(logTable));
}

/** The table of the platform, of users or of connections, as the stack declares them. */
export const keyedTable = (TableName: string): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk'].map(string),
  KeySchema: [hash('pk'), range('sk')],
});

export async function createKeyedTable(client: DynamoDBClient, table: string): Promise<void> {
  await client.send(new CreateTableCommand(keyedTable(table)));
}
