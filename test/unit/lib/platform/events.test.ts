import { describe, expect, it } from 'vitest';
import type { Tables } from '../../../../functions/adapters/stores/sqlite/tables.ts';
import type { Incident } from '../../../../functions/core/ports/app-event.ts';
import { appEvents } from '../../../../lib/platform/store/events.ts';
import { storedIn } from '../../../../lib/platform/store/stored.ts';
import { afterwards, temporaryFolder } from '../../../support/platform/harness.ts';
import { openedTables } from '../../../support/platform/tables.ts';

const crash = {
  user: 'kiwi',
  app: 'shop',
  snapshot: '1.0.0-1',
  state: 'crashed',
  reason: 'It crashed.',
  log: [],
} as const;
const recovery = { ...crash, state: 'running', reason: null } as const;
/** The events in tables that have these applications. */
async function eventsIn(tables: Tables, ...names: readonly string[]) {
  for (const app of names) await storedIn('/nowhere', tables).apps.put({ user: 'kiwi', app }, {});
  return appEvents(tables);
}

let reported = 0;
/** The event, as the runner reports it now. */
const added = (event: typeof crash | typeof recovery) => {
  reported += 1;
  return { ...event, id: { of: 'runner', seq: reported }, log: [] };
};

describe('the events of applications', () => {
  it('are the last one of each application, numbered on, also after a restart', async () => {
    const folder = await temporaryFolder();
    const first = openedTables(folder);
    const store = await eventsIn(first.tables, 'shop', 'blog');
    expect(await store.after(0)).toEqual({ events: [], last: 0 });
    expect(await store.add(added(recovery))).toBe(false);
    await Promise.all([
      store.add(added(crash)),
      store.add({ ...added(crash), app: 'blog' }),
      store.add(added(recovery)),
    ]);
    await first.close();
    const { tables, close } = openedTables(folder);
    afterwards(close);
    const again = appEvents(tables);
    const { events: kept, last } = await again.after(0);
    expect(kept.map(({ seq, app, state }) => [seq, app, state])).toEqual([
      [2, 'blog', 'crashed'],
      [3, 'shop', 'running'],
    ]);
    expect(last).toBe(3);
    expect((await again.after(2)).events).toHaveLength(1);
  });

  it('are added once, also when the runner reports them again to the next service', async () => {
    const { tables, close } = openedTables();
    afterwards(close);
    const store = await eventsIn(tables, 'shop');
    const [first, second] = [added(crash), added(crash)];
    await store.add(first);
    await store.add(second);

    expect([await store.add(first), await store.add(second)]).toEqual([false, false]);
    expect(await store.add({ ...first, id: { of: 'another runner', seq: 1 } })).toBe(true);
    const { events, last } = await store.after(0);
    expect([events.length, last]).toEqual([1, 3]);
    expect(events[0]).not.toHaveProperty('id');
  });

  it('of incidents are the changes of each subject, told in one entry for an hour', async () => {
    const { tables, close } = openedTables();
    afterwards(close);
    const store = await eventsIn(tables, 'shop');
    const failing = { ...added(crash), about: 'The job', reason: 'The job failed.' };
    const over = { ...failing, state: 'running', reason: 'The job has succeeded.' } as const;
    const next = (event: typeof failing | typeof over) => store.add({ ...event, id: added(crash).id });
    expect([await next(over), await next(failing), await next(failing)]).toEqual([false, true, false]);
    expect(await store.add({ ...failing, app: null, id: added(crash).id })).toBe(true);
    const [first] = (await store.after(0)).events as readonly Incident[];
    expect([await next(over), await next(over), await next(failing)]).toEqual([true, false, true]);
    const { events } = await store.after(0);
    expect(events).toMatchObject([
      { app: null, about: 'The job' },
      { app: 'shop', state: 'crashed', first: first?.first },
    ]);
    tables.run("UPDATE states SET doc = json_set(doc, '$.at', '2026-01-01T00:00:00.000Z') WHERE app = 'shop'");
    expect([await next(over), await next(failing)]).toEqual([true, true]);
    expect(await store.add(added(crash))).toBe(true);
    expect((await store.after(0)).events).toHaveLength(3);
  });

  it('of incidents are a bounded number for each application', async () => {
    const { tables, close } = openedTables();
    afterwards(close);
    const store = await eventsIn(tables, 'shop', 'blog');
    await store.add(added(crash));
    const failing = { ...added(crash), reason: 'It failed.' };
    for (const app of ['blog', 'shop', null]) await store.add({ ...failing, app, about: 'kept', id: added(crash).id });
    const of = { user: 'kiwi', app: 'shop', reason: 'It failed.', log: [] };
    const tell = (job: number, state: 'crashed' | 'running' = 'crashed') =>
      store.add({ ...of, about: `job ${job}`, state, id: added(crash).id });
    const all = Array.from({ length: 100 }, (_, job) => job);
    for (const job of all) await tell(job);
    const ofShop = async () => (await store.after(0)).events.filter(({ app }) => app === 'shop');
    expect(await ofShop()).toHaveLength(1 + 41);
    const { last } = await store.after(0);
    // All are looked at again, and none is told again.
    for (const job of all) await tell(job);
    expect((await store.after(0)).last).toBe(last);
    await tell(3, 'running');
    expect([await tell(98), await tell(99)]).toEqual([true, false]);
    expect(await ofShop()).toHaveLength(1 + 41);
    const { events } = await store.after(0);
    expect(events.filter(({ app }) => app !== 'shop')).toHaveLength(2);
  });

  it('go with their application, and their numbers are not used again', async () => {
    const { tables, close } = openedTables();
    afterwards(close);
    const store = await eventsIn(tables, 'shop', 'blog');
    for (const app of ['blog', 'shop']) await store.add({ ...added(crash), app });
    tables.run("UPDATE applications SET app = 'store' WHERE app = 'shop'");
    tables.run("DELETE FROM applications WHERE app = 'blog'");
    expect(await store.after(0)).toMatchObject({ last: 2, events: [{ seq: 2, app: 'store' }] });
    tables.run("DELETE FROM applications WHERE app = 'store'");
    expect(await store.after(0)).toEqual({ last: 2, events: [] });
    await expect(store.add(added(crash))).rejects.toThrow();
    expect((await store.after(0)).last).toBe(2);
  });
});
