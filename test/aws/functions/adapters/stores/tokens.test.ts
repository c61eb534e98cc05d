import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { dynamoDbTokens } from '../../../../../functions/adapters/stores/dynamodb/tokens.ts';
import { startDynamoDb } from '../../../../aws-local/emulators/dynamodb.ts';
import { tokenStoreContract } from '../../../../contracts/token-store.ts';
import { createLogTables, emulatorClient } from '../../../../support/dynamodb-table.ts';

describe('the token store in DynamoDB', () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof startDynamoDb>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tokens-'));
    database = await startDynamoDb({ file: join(folder, 'log.sqlite') });
    await createLogTables(emulatorClient(database.endpoint));
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  tokenStoreContract('It', async () =>
    dynamoDbTokens({ client: emulatorClient(database.endpoint), table: 'log' }),
  );
});
