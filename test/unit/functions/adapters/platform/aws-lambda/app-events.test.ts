import { describe, expect, it, vi } from 'vitest';
import {
  recordEvent,
  tableAppEvents,
} from '../../../../../../functions/adapters/platform/aws-lambda/table/app-events.ts';
import { keys } from '../../../../../../functions/adapters/platform/aws-lambda/table/items.ts';
import type { PlatformTable } from '../../../../../../functions/adapters/platform/aws-lambda/table/table.ts';
import { memoryTable } from '../../../../../fakes/platform-table.ts';
import { AT, MINUTE } from '../../../../../support/entries.ts';

const crashed = { user: 'ann', app: 'shop', snapshot: '1', state: 'crashed', reason: 'It ended.', log: [] } as const;
const running = { ...crashed, state: 'running', reason: null } as const;

const clockAt = (now: number) => ({ now: () => now });
const events = (table: PlatformTable) => table.list(keys.events());

describe('the events in the table', () => {
  it('are read after a cursor, and for a moment again, because one may be stored late', async () => {
    const table = memoryTable();
    await recordEvent(table, { ...crashed, seq: AT });
    const answer = await tableAppEvents(table, clockAt(AT)).after(0);
    expect([answer.events, answer.last]).toMatchObject([[{ ...crashed, seq: AT }], AT]);
    expect((await tableAppEvents(table, clockAt(AT)).after(AT + MINUTE)).events).toEqual([]);
  });

  it('are small, and their lines are read when they are: none of a crash that was read long ago', async () => {
    const table = memoryTable();
    const read = vi.spyOn(table, 'read');
    for (const app of ['shop', 'cart']) await recordEvent(table, { ...crashed, app, seq: AT, log: ['x'.repeat(300)] });
    expect(JSON.stringify(await events(table)).length).toBeLessThan(1000);
    const answer = await tableAppEvents(table, clockAt(AT + MINUTE)).after(0);
    expect(answer.events.map(({ log }) => log)).toEqual([['x'.repeat(300)], ['x'.repeat(300)]]);
    read.mockClear();
    expect((await tableAppEvents(table, clockAt(AT + 60 * MINUTE)).after(answer.last)).events).toEqual([]);
    expect(read).not.toHaveBeenCalled();
  });

  it('are read by parts when many crash at once, and a few lines at a time', async () => {
    const table = memoryTable();
    const { read } = table;
    let [open, most] = [0, 0];
    vi.spyOn(table, 'read').mockImplementation(async (key) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      return read(key);
    });
    for (let at = 0; at < 500; at += 1) {
      const event = { ...crashed, app: `app-${at}`, seq: AT + at };
      await table.write(keys.event(event), { event, at: event.seq });
    }
    const reader = tableAppEvents(table, clockAt(AT + MINUTE));
    const seen = new Set<number>();
    let since = 0;
    for (const last of [AT + 199, AT + 399, AT + 499]) {
      const page = await reader.after(since);
      expect(page.last).toBe(last);
      expect(page.events.length).toBeLessThanOrEqual(400);
      for (const { seq } of page.events) seen.add(seq);
      since = page.last;
    }
    expect([seen.size, most]).toEqual([500, 20]);
  });

  it('are those of what is crashed now: one that answers again is removed when it was read, and not before', async () => {
    const table = memoryTable();
    for (const app of ['shop', 'cart', 'blog']) await recordEvent(table, { ...crashed, app, seq: AT });
    await recordEvent(table, { ...running, seq: AT + MINUTE });
    await recordEvent(table, { ...running, app: 'cart', seq: AT + 2 * MINUTE });
    const reader = tableAppEvents(table, clockAt(AT + 3 * MINUTE));
    expect((await reader.after(0)).events).toHaveLength(3);
    expect(await events(table)).toHaveLength(3);
    const { last } = await reader.after(0);
    await reader.after(last);
    // The last of all stays, because the next one's number follows it.
    expect((await events(table)).map(({ sk }) => sk)).toEqual(['ann/blog', 'ann/cart']);
  });

  it('stay when an application crashes again while its last one is removed', async () => {
    const table = memoryTable();
    await recordEvent(table, { ...running, seq: AT });
    await recordEvent(table, { ...running, app: 'cart', seq: AT + MINUTE });
    const list = table.list;
    table.list = async (partition) => {
      const listed = await list(partition);
      table.list = list;
      await recordEvent(table, { ...crashed, seq: AT + 2 * MINUTE });
      return listed;
    };
    await tableAppEvents(table, clockAt(AT + MINUTE)).after(AT + MINUTE);
    const answer = await tableAppEvents(table, clockAt(AT + MINUTE)).after(AT + MINUTE);
    expect(answer.events.find(({ app }) => app === 'shop')).toMatchObject(crashed);
  });

  it('are numbered after all earlier ones, also when the clock was set back', async () => {
    const table = memoryTable();
    await recordEvent(table, { ...crashed, seq: AT });
    await recordEvent(table, { ...running, seq: AT - 10 * MINUTE });
    await recordEvent(table, { ...crashed, app: 'cart', seq: AT - 9 * MINUTE });
    const answer = await tableAppEvents(table, clockAt(AT)).after(AT);
    expect(answer.events).toMatchObject([
      { ...running, seq: AT + 1 },
      { app: 'cart', seq: AT + 2 },
    ]);
  });
});
