import { describe, expect, it } from 'vitest';
import { createLogTables, emulatedDatabase } from '../../support/dynamodb-table.ts';
import { HOSTS } from '../../support/histories/calls.ts';
import { check } from '../../support/histories/check.ts';
import { widerHistories } from '../../support/histories/history.ts';
import { dynamoDbRoles } from '../../support/worlds/dynamodb-roles.ts';

const OF_EACH_HOST = 2;
const MOST_STEPS = 8;

describe('whatever happens to a branch, its pull requests and CI, with the log in DynamoDB', () => {
  const database = emulatedDatabase(createLogTables);

  it.each(HOSTS)('%s: the commit is live that they say, and never another one', async (host) => {
    const client = database();
    const all = widerHistories(MOST_STEPS, [host]);
    for (let seed = 1; seed <= OF_EACH_HOST; seed += 1) {
      expect((await check(seed, all, () => dynamoDbRoles(client)))?.text ?? '').toBe('');
    }
  });
});
