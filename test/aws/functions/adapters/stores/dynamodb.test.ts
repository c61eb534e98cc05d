import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { DeleteItemCommand, GetItemCommand, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import {
  dynamoDbAppEventCursor,
  dynamoDbAppFacts,
} from '../../../../../functions/adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbTrackedApps } from '../../../../../functions/adapters/stores/dynamodb/apps/tracked-apps.ts';
import { dynamoDbBacklog } from '../../../../../functions/adapters/stores/dynamodb/backlog.ts';
import { dynamoDbFacts } from '../../../../../functions/adapters/stores/dynamodb/facts.ts';
import { keys } from '../../../../../functions/adapters/stores/dynamodb/items.ts';
import { dynamoDbLog } from '../../../../../functions/adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../../../../../functions/adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../../../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../../../functions/adapters/system/ids.ts';
import { forEachLimit } from '../../../../../functions/core/concurrency.ts';
import { deployLogContract } from '../../../../contracts/deploy-log.ts';
import { lastingIncidentContract } from '../../../../contracts/lasting-incident.ts';
import { consumedUnits } from '../../../../support/consumed-units.ts';
import { createLogTables, emulatedDatabase, LOG_TABLES } from '../../../../support/dynamodb-table.ts';
import { AT, append, MINUTE } from '../../../../support/entries.ts';

describe('the log in DynamoDB', () => {
  const database = emulatedDatabase(createLogTables);

  it('finds one of two thousand applications by the id of its renamed repository, in a few reads', async () => {
    const client = database();
    const facts = dynamoDbFacts({ client, ...LOG_TABLES, clock: systemClock, ids: systemIds });
    const ownerOf = (id: number) => ({ host: 'github', owner: 'ann', name: `app-${id}`, id: `${id}` });
    const all = Array.from({ length: 2000 }, (_, id) => id);
    await forEachLimit(all, 50, async (id) => void (await facts.ownApp('many', `app-${id}`, ownerOf(id))));
    const units = consumedUnits(client);
    const found = await facts.owned('many', { ...ownerOf(777), name: 'renamed' });
    expect(found).toEqual([{ app: 'app-777', owner: ownerOf(777) }]);
    expect(units.reads).toBeLessThanOrEqual(3);
  });

  it('finds an application of version 1.1.0, which did not note the name of its package', async () => {
    const client = database();
    const context = { client, ...LOG_TABLES, clock: systemClock, ids: systemIds };
    const log = dynamoDbLog(context);
    const user = 'of-before';
    const { number } = await append(log, { user });
    await log.move(user, number, () => ({ changes: { appName: '@ann/shop' }, activates: true }));
    await client.send(
      new UpdateItemCommand({
        TableName: LOG_TABLES.table,
        Key: keys.app(user, 'ann-shop'),
        UpdateExpression: 'REMOVE package SET claimed = :order',
        ExpressionAttributeValues: { ':order': { N: '1' } },
      }),
    );
    const facts = dynamoDbAppFacts(context);
    expect(await facts.named(user, 'ann-shop')).toEqual({ name: '@ann/shop', active: number, entries: 1 });
    expect(await facts.named(user, 'none')).toBe(null);
  });

  it('a claim whose answer was lost is a claim when the client repeats the call', async () => {
    const client = database();
    const log = dynamoDbLog({ client, ...LOG_TABLES, clock: systemClock, ids: systemIds });
    const { user, number, stage } = await append(log, { user: 'lost-answers' });
    let lost = 0;
    client.middlewareStack.add(
      (next) => async (request) => {
        const answer = await next(request);
        lost += 1;
        if (lost === 1) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
        return answer;
      },
      { step: 'deserialize', priority: 'low' },
    );
    const claim = { user, number, stage, now: AT, leaseUntil: AT + MINUTE, dueAt: AT + 2 * MINUTE };
    expect(await log.claim(claim)).toMatchObject({ outcome: 'claimed', attempts: 1 });
    expect(lost).toBe(2);
    expect(await log.claim(claim)).toEqual({ outcome: 'locked', until: AT + MINUTE });
  });

  it('a stage that is claimed between the read of a transition and its write is seen by the transition', async () => {
    const client = database();
    const context = { client: database(), ...LOG_TABLES, clock: systemClock, ids: systemIds };
    const log = dynamoDbLog({ ...context, client });
    const { user, number, stage } = await append(log, { user: 'claimed-meanwhile' });
    const claim = { user, number, stage, now: AT, leaseUntil: AT + MINUTE, dueAt: AT + 2 * MINUTE };
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (request) => {
          if (commandName === 'TransactWriteItemsCommand') await dynamoDbLog(context).claim(claim);
          return next(request);
        },
      { step: 'initialize' },
    );
    const seen: number[] = [];
    const after = await log.move(user, number, ({ stages }) => {
      seen.push(stages.length);
      return stages.length > 0 ? null : { changes: { status: 'cancelled' } };
    });
    expect([seen, after?.status]).toEqual([[0, 1], 'queued']);
  });

  it('an entry is due when its worker should have ended, whether the index showed it earlier or later', async () => {
    const client = database();
    const context = { client, ...LOG_TABLES, clock: systemClock, ids: systemIds };
    const [log, backlog] = [dynamoDbLog(context), dynamoDbBacklog(context)];
    const due = async (now: number) => {
      const jobs = await backlog.due(now, 1000);
      return jobs.flatMap(({ user, number }) => (user === 'claimed' ? [number] : [])).sort();
    };
    for (const dueAt of [AT + MINUTE, AT + 70 * MINUTE]) {
      const { user, number, stage } = await append(log, { user: 'claimed' }, { dueAt });
      await log.claim({ user, number, stage, now: AT, leaseUntil: AT + 20 * MINUTE, dueAt: AT + 21 * MINUTE });
    }
    expect([await due(AT + 20 * MINUTE), await due(AT + 21 * MINUTE)]).toEqual([[], [1, 2]]);
  });

  it('a payload is stored in a table of its own, in parts of at most 400 kB, and expires', async () => {
    const client = database();
    const log = dynamoDbLog({ client, ...LOG_TABLES, clock: systemClock, ids: systemIds });
    const payload = randomBytes(800_000);
    const { uuid } = await append(log, { user: 'much-to-say' }, { payload });
    const stored = await client.send(new ScanCommand({ TableName: LOG_TABLES.payloads, ConsistentRead: true }));
    const parts = (stored.Items ?? []).filter(({ pk }) => pk?.S === 'much-to-say');
    expect(parts.map(({ sk }) => sk?.S)).toEqual([0, 1, 2].map((part) => `${uuid}#${part}`));
    const kept = gunzipSync(Buffer.concat(parts.map(({ gzip }) => gzip?.B ?? new Uint8Array())));
    expect(kept.equals(payload)).toBe(true);
    const days = (Number(parts[0]?.expires?.N) - Date.now() / 1000) / 86_400;
    expect(days).toBeCloseTo(30, 1);
  });

  it('the item of a badge does not grow with the entries that have not ended', async () => {
    const client = database();
    const log = dynamoDbLog({ client, ...LOG_TABLES, clock: systemClock, ids: systemIds });
    const user = 'many-under-way';
    const names = async () => {
      const Key = { pk: { S: user }, sk: { S: 'R#shop' } };
      return Object.keys(
        (await client.send(new GetItemCommand({ TableName: LOG_TABLES.table, Key }))).Item ?? {},
      ).sort();
    };
    await append(log, { user });
    const one = await names();
    for (let count = 0; count < 20; count += 1) await append(log, { user });
    expect(await names()).toEqual(one);
  });

  it('counters that another process has moved since are read, and not guessed', async () => {
    const client = database();
    const context = { ...LOG_TABLES, clock: systemClock, ids: systemIds };
    const log = dynamoDbLog({ ...context, client });
    await append(log, { user: 'two-writers' });
    await append(dynamoDbLog({ ...context, client: database() }), { user: 'two-writers' });
    const commands: unknown[] = [];
    client.middlewareStack.add((next, { commandName }) => (request) => {
      commands.push(commandName);
      return next(request);
    });
    await systemClock.sleep(100);
    expect((await append(log, { user: 'two-writers' })).number).toBe(3);
    expect(commands.sort()).toEqual(['GetItemCommand', 'PutItemCommand', 'TransactWriteItemsCommand']);
  });

  let users = 0;
  lastingIncidentContract(async (clock) => {
    const client = database();
    const context = { client, ...LOG_TABLES, clock, ids: systemIds };
    // The emulator removes nothing by its time.
    const forget = async () => {
      const { Items = [] } = await client.send(new ScanCommand({ TableName: LOG_TABLES.table }));
      const over = Items.filter(({ expires }) => Number(expires?.N) <= clock.now() / 1000);
      await forEachLimit(over, 8, async ({ pk, sk }) => {
        const Key = { ...(pk && { pk }), ...(sk && { sk }) };
        await client.send(new DeleteItemCommand({ TableName: LOG_TABLES.table, Key }));
      });
    };
    return { log: dynamoDbLog(context), appFacts: dynamoDbAppFacts(context), reader: dynamoDbReader(context), forget };
  });

  deployLogContract(async () => {
    users += 1;
    const client = database();
    const context = { client, ...LOG_TABLES, clock: systemClock, ids: systemIds };
    return {
      log: dynamoDbLog(context),
      other: dynamoDbLog(context),
      reader: dynamoDbReader(context),
      facts: dynamoDbFacts(context),
      appFacts: dynamoDbAppFacts(context),
      backlog: dynamoDbBacklog(context),
      cursor: dynamoDbAppEventCursor(context),
      trackedApps: dynamoDbTrackedApps(context),
      user: `user-${users}`,
    };
  });
});
