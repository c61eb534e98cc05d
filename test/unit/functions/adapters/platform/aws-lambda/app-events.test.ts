import { describe, expect, it } from 'vitest';
import {
  recordEvent,
  tableAppEvents,
} from '../../../../../../functions/adapters/platform/aws-lambda/table/app-events.ts';
import { memoryTable } from '../../../../../fakes/aws/memory-table.ts';
import { AT, MINUTE } from '../../../../../support/entries.ts';

const crashed = { user: 'ann', app: 'shop', snapshot: '1', state: 'crashed', reason: 'It ended.', log: [] } as const;
const running = { ...crashed, state: 'running', reason: null } as const;

describe('the events in the table', () => {
  it('are read after a cursor, and for a moment again, because one may be stored late', async () => {
    const table = memoryTable();
    await recordEvent(table, { ...crashed, seq: AT });
    const { events, last } = await tableAppEvents(table).after(0);
    expect([events, last]).toMatchObject([[{ ...crashed, seq: AT }], AT]);
    expect((await tableAppEvents(table).after(AT + MINUTE)).events).toEqual([]);
  });

  it('are numbered after all earlier ones, also when the clock was set back', async () => {
    const table = memoryTable();
    await recordEvent(table, { ...crashed, seq: AT });
    await recordEvent(table, { ...running, seq: AT - 10 * MINUTE });
    await recordEvent(table, { ...crashed, app: 'cart', seq: AT - 9 * MINUTE });
    const { events } = await tableAppEvents(table).after(AT);
    expect(events).toMatchObject([
      { ...running, seq: AT + 1 },
      { app: 'cart', seq: AT + 2 },
    ]);
  });
});
