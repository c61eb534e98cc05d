import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { dynamoDbWatch } from '../../../../../functions/adapters/stores/dynamodb/connections/watch.ts';
import { keys } from '../../../../../functions/adapters/stores/dynamodb/items.ts';
import { dynamoDbLog } from '../../../../../functions/adapters/stores/dynamodb/log.ts';
import { memoryClock, memoryIds } from '../../../../fakes/clock.ts';
import { consumedUnits } from '../../../../support/consumed-units.ts';
import { createLogTables, emulatedDatabase, LOG_TABLES } from '../../../../support/dynamodb-table.ts';
import { AT, append, MINUTE } from '../../../../support/entries.ts';

const database = emulatedDatabase(createLogTables);
let users = 0;

/** The log of a new user. */
function world() {
  users += 1;
  const user = `ann-${users}`;
  const client = database();
  const clock = memoryClock(AT);
  const context = { client, ...LOG_TABLES, clock, ids: memoryIds() };
  const isSignalled = async (seq: number) => {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: LOG_TABLES.table, Key: keys.change(user, seq), ConsistentRead: true }),
    );
    return Item?.watched?.S === 'yes';
  };
  return { user, client, clock, log: dynamoDbLog(context), watch: dynamoDbWatch(context), isSignalled };
}

it('Changes are signalled from the moment at which somebody watches, and no longer than a connection lives', async () => {
  const { user, log, clock, watch, isSignalled } = world();
  await append(log, { user });
  expect(await watch(user)).toBe(1);
  await append(log, { user });
  clock.pass(3 * 60 * MINUTE);
  await append(log, { user });
  expect([await isSignalled(1), await isSignalled(2), await isSignalled(3)]).toEqual([false, true, false]);
});

it('A writer that knew of nobody a moment ago signals its change all the same', async () => {
  const { user, log, watch, isSignalled } = world();
  // The clock stands still: what the writer knows stays fresh.
  await append(log, { user });
  await watch(user);
  await append(log, { user });
  expect(await isSignalled(2)).toBe(true);
});

it('A log without entries can be watched', async () => {
  const { user, log, watch, isSignalled } = world();
  expect(await watch(user)).toBe(0);
  await append(log, { user });
  expect(await isSignalled(1)).toBe(true);
});

it('A second watcher within half an hour writes nothing', async () => {
  const { user, client, clock, watch } = world();
  await watch(user);
  clock.pass(29 * MINUTE);
  const units = consumedUnits(client);
  await watch(user);
  expect(units.writes).toBe(0);
  clock.pass(2 * MINUTE);
  await watch(user);
  expect(units.writes).toBe(1);
});
