import { describe } from 'vitest';
import { callsContract } from '../../contracts/calls.ts';
import { createLogTables, emulatedDatabase } from '../../support/dynamodb-table.ts';
import { dynamoDbRoles } from '../../support/worlds/dynamodb-roles.ts';

describe('the calls of hosts and CI, on the log in DynamoDB', () => {
  const database = emulatedDatabase(createLogTables);

  // One choice of each: the rules are the same code on both logs, and the memory has all of them.
  callsContract(() => dynamoDbRoles(database()), { hosts: ['github'], choices: 1 });
});
