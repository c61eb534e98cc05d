import { afterEach, beforeEach, describe } from 'vitest';
import { startDynamoDb } from '../../aws-local/emulators/dynamodb.ts';
import { callsContract } from '../../contracts/calls.ts';
import { createLogTables, emulatorClient } from '../../support/dynamodb-table.ts';
import { dynamoDbRoles } from '../../support/worlds/dynamodb-roles.ts';

describe('the calls of hosts and CI, on the log in DynamoDB', () => {
  let database: Awaited<ReturnType<typeof startDynamoDb>>;

  // One for each: a comparison looks at the applications of all users.
  beforeEach(async () => {
    database = await startDynamoDb();
    await createLogTables(emulatorClient(database.endpoint));
  });

  afterEach(async () => {
    await database.close();
  });

  // One choice of each: the rules are the same code on both logs, and the memory has all of them.
  callsContract(() => dynamoDbRoles(emulatorClient(database.endpoint)), { hosts: ['github'], choices: 1 });
});
