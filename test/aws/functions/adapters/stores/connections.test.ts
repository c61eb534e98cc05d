import { describe, expect, it } from 'vitest';
import { dynamoDbConnections } from '../../../../../functions/adapters/stores/dynamodb/connections/connections.ts';
import { connectionRegistryContract } from '../../../../contracts/connection-registry.ts';
import { memoryClock } from '../../../../fakes/clock.ts';
import { memoryConnections } from '../../../../fakes/signals.ts';
import { createKeyedTable, emulatedDatabase } from '../../../../support/dynamodb-table.ts';

connectionRegistryContract('The memory', memoryConnections);

describe('the connection registry in DynamoDB', () => {
  const table = 'connections';
  const database = emulatedDatabase((client) => createKeyedTable(client, table));

  const open = (clock = memoryClock()) => dynamoDbConnections({ client: database(), table, clock });

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
