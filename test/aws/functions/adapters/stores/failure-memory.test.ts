import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { dynamoDbFailures } from '../../../../../functions/adapters/stores/dynamodb/connections/failure-memory.ts';
import { dynamoDbRefusedCalls } from '../../../../../functions/adapters/stores/dynamodb/connections/refused-calls.ts';
import { failureMemoryContract } from '../../../../contracts/failure-memory.ts';
import { refusedCallsContract } from '../../../../contracts/refused-calls.ts';
import { memoryClock } from '../../../../fakes/clock.ts';
import { createKeyedTable, emulatedDatabase } from '../../../../support/dynamodb-table.ts';

describe('the memory of wrong passwords in DynamoDB', () => {
  const table = 'connections';
  const database = emulatedDatabase((client) => createKeyedTable(client, table));

  failureMemoryContract('It', (clock) => dynamoDbFailures({ client: database(), table, clock }));
  refusedCallsContract('It', (clock) => dynamoDbRefusedCalls({ client: database(), table, clock }));

  it('stores no name that a stranger has sent, and nothing without an end', async () => {
    const client = database();
    await dynamoDbFailures({ client, table, clock: memoryClock() }).add({ user: 'pässword?', address: '192.0.2.1' });
    const call = { at: 0, code: 'deploy:auth:bad_creds', detail: '', agent: null } as const;
    await dynamoDbRefusedCalls({ client, table, clock: memoryClock() }).note('pässword?', call);
    const { Items = [] } = await client.send(new ScanCommand({ TableName: table }));
    expect(JSON.stringify(Items)).not.toMatch(/pässword|192\.0\.2/);
    for (const item of Items) expect(Number(item.expires?.N)).toBeGreaterThan(0);
  });
});
