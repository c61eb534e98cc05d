import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import type { AppEvent } from '../../../functions/core/ports/app-event.ts';
import type { EventId } from '../../runner/calls.ts';

/** An event with the number that the runner gave it, in place of its own. */
interface NewAppEvent extends Omit<AppEvent, 'seq'> {
  readonly id: EventId;
}

/** The events of applications. Only the last one of each application is kept, so their number is bounded. */
export interface AppEventStore {
  /** Returns the events after that number, in order, and the number of the last one that there was. */
  after(seq: number): Promise<{ readonly events: readonly AppEvent[]; readonly last: number }>;
  /**
   * Adds an event, and returns whether it was one: an application that has not crashed before and runs is none, and the
   * runner reports an event again to a service that was killed after it had added it.
   */
  add(event: NewAppEvent): Promise<boolean>;
}

interface Row {
  readonly seq: number;
  readonly user: string;
  readonly app: string;
  readonly doc: string;
}

export function appEvents(tables: Tables): AppEventStore {
  return {
    after: async (seq) => {
      const rows = tables.all<Row>('SELECT seq, user, app, doc FROM states WHERE seq > ? ORDER BY seq', seq);
      const last = tables.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'states'")?.seq ?? 0;
      return { events: rows.map(eventOf), last };
    },
    add: (event) => tables.note(() => addTo(tables, { ...event, at: new Date().toISOString() })),
  };
}

function eventOf({ seq, user, app, doc }: Row): AppEvent {
  const { id: _, ...event } = JSON.parse(doc);
  return { ...event, seq, user, app };
}

/** Whether the last event of an application is that one, or came after it. */
function has({ doc }: Row, { of, seq }: EventId): boolean {
  const { id }: { readonly id?: EventId } = JSON.parse(doc);
  return id?.of === of && id.seq >= seq;
}

function addTo(tables: Tables, { user, app, ...event }: NewAppEvent & { readonly at: string }): boolean {
  const sql = 'SELECT seq, user, app, doc FROM states WHERE user = ? AND app = ?';
  const row = tables.get<Row>(sql, user, app);
  if (row && has(row, event.id)) return false;
  if (event.state === 'running' && !(row && eventOf(row).state === 'crashed')) return false;
  const doc = JSON.stringify(event);
  return tables.run('INSERT OR REPLACE INTO states (user, app, doc) VALUES (?, ?, ?)', user, app, doc) > 0;
}
