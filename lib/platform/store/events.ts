import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import type { AppEvent } from '../../../functions/api/shapes/platform.ts';

/** An event without its number. */
type NewAppEvent = Omit<AppEvent, 'seq'>;

/** The events of applications. Only the last one of each application is kept, so their number is bounded. */
export interface AppEventStore {
  /** Returns the events after that number, in order, and the number of the last one that there was. */
  after(seq: number): Promise<{ readonly events: readonly AppEvent[]; readonly last: number }>;
  /**
   * Adds an event, and returns whether it was one: an application that has not crashed before and runs is none.
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
  return { ...JSON.parse(doc), seq, user, app };
}

function addTo(tables: Tables, { user, app, ...event }: NewAppEvent & { readonly at: string }): boolean {
  const sql = 'SELECT seq, user, app, doc FROM states WHERE user = ? AND app = ?';
  const row = tables.get<Row>(sql, user, app);
  if (event.state === 'running' && !(row && eventOf(row).state === 'crashed')) return false;
  const doc = JSON.stringify(event);
  return tables.run('INSERT OR REPLACE INTO states (user, app, doc) VALUES (?, ?, ?)', user, app, doc) > 0;
}
