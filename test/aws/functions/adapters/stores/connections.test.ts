import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoDbConnections } from '../../../../../functions/adapters/stores/dynamodb/connections/connections.ts';
import { startDynamoDb } from '../../../../aws-local/emulators/dynamodb.ts';
import { connectionRegistryContract } from '../../../../contracts/connection-registry.ts';
import { memoryClock } from '../../../../fakes/clock.ts';
import { memoryConnections } from '../../../../fakes/signals.ts';
import { createConnectionsTable, emulatorClient } from '../../../../support/dynamodb-table.ts';

connectionRegistryContract('The memory', memoryConnections);

describe('the connection registry in DynamoDB', () => {
  const table = 'connections';
  let database: Awaited<ReturnType<typeof startDynamoDb>>;
  beforeAll(async () => {
    database = await startDynamoDb();
    await createConnectionsTable(emulatorClient(database.endpoint), table);
  });
  afterAll(async () => {
    await database.close();
  });

  const open = (clock = memoryClock()) =>
    dynamoDbConnections({ client: emulatorClient(database.endpoint), table, clock });

  connectionRegistryContract('It', open);

  it('does not list a connection older than API Gateway allows, even if it has registered again', async () => {
    const clock = memoryClock();
    const connections = open(clock);
    const socket = { id: 'old=', side: 'public' } as const;
    await connections.open(socket, 'kiwi');
    await connections.register(socket);
    clock.pass(2 * 60 * 60 * 1000);
    await connections.register(socket);
    expect(await connections.list('kiwi')).toEqual([socket]);
    clock.pass(11 * 60 * 1000);
    expect(await connections.list('kiwi')).toEqual([]);
  });
});
