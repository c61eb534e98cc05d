import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { type AppEvent, firstOf, type Incident, SAME_ENTRY_MS } from '../../../functions/core/ports/app-event.ts';
import type { AppEventPage } from '../../../functions/core/ports/applications.ts';
import { type DiskReserve, NO_RESERVE } from '../../files/disk-reserve.ts';
import type { AppId, EventId } from '../../runner/calls.ts';

/** An event with the number that the runner gave it, in place of its own. */
type Numbered<Event> = Omit<Event, 'seq' | 'first'> & { readonly id: EventId };

/** The last event of each application, and of each subject of its incidents. */
export interface AppEventStore {
  /** Returns the events after that number, in order, and the number of the last one that there was. */
  after(seq: number): Promise<AppEventPage>;
  /**
   * Adds an event, and returns whether it was one: what runs and has not crashed before is none, nor an incident that is told
   * already, and the runner reports an event again to a service that was killed after it had added it.
   */
  add(event: Numbered<AppEvent> | Numbered<Incident>): Promise<boolean>;
  /**
   * Ends the incidents of an application about other subjects than these, which are all that it has: the runner that has
   * reported them may be gone. Returns whether there were any.
   */
  keepOnly(app: AppId, subjects: ReadonlySet<string>): Promise<boolean>;
  /** Ends the incidents of an application that is about to be removed, on a full disk too. Returns whether there were any. */
  endAll(app: AppId): Promise<boolean>;
}

interface Row {
  readonly seq: number;
  readonly user: string;
  readonly app: string | null;
  readonly about: string;
  readonly doc: string;
}

/** The event of a row, with what only the store knows. */
interface Kept {
  readonly state: AppEvent['state'];
  /** RFC 3339. */
  readonly at: string;
  readonly id?: EventId;
  readonly first?: string;
}

/** The subjects of one application: its 20 jobs of cron, its first `web` and 20 more processes. */
const MOST_INCIDENTS = 41;

export function appEvents(tables: Tables, reserve: Pick<DiskReserve, 'use'> = NO_RESERVE): AppEventStore {
  return {
    after: async (seq) => {
      const rows = tables.all<Row>('SELECT seq, user, app, about, doc FROM states WHERE seq > ? ORDER BY seq', seq);
      const last = tables.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'states'")?.seq ?? 0;
      return { events: rows.map(eventOf), last };
    },
    add: (event) => tables.note(() => addTo(tables, event)),
    keepOnly: (app, subjects) => tables.note(() => keepOnly(tables, app, subjects)),
    endAll: (app) => reserve.use(() => tables.note(() => endAll(tables, app))),
  };
}

function keepOnly(tables: Tables, { user, app }: AppId, subjects: ReadonlySet<string>): boolean {
  const sql = "SELECT about FROM states WHERE user = ? AND app = ? AND about <> ''";
  const gone = tables.all<Pick<Row, 'about'>>(sql, user, app).filter(({ about }) => !subjects.has(about));
  const ended = gone.map(({ about }) => {
    const told = { state: 'running', reason: `${about} is not there any more.`, log: [] } as const;
    return addTo(tables, { user, app, about, ...told, id: { of: 'platform', seq: Date.now() } });
  });
  return ended.includes(true);
}

/** The rows of an application go with it: what has to be told yet becomes a row of no application, for an hour at least. */
function endAll(tables: Tables, { user, app }: AppId): boolean {
  const isNews = keepOnly(tables, { user, app }, new Set());
  const ofNone = "user = ? AND app IS NULL AND about <> ''";
  const anHourAgo = new Date(Date.now() - SAME_ENTRY_MS).toISOString();
  tables.run(
    `DELETE FROM states WHERE ${ofNone} AND doc ->> 'state' = 'running' AND doc ->> 'at' < ?`,
    user,
    anHourAgo,
  );
  tables.run("UPDATE states SET app = NULL WHERE user = ? AND app = ? AND about <> ''", user, app);
  return isNews;
}

function eventOf({ seq, user, app, about, doc }: Row): AppEvent | Incident {
  const { id: _, ...event } = JSON.parse(doc);
  return { ...event, seq, user, app, ...(about !== '' && { about }) };
}

function addTo(tables: Tables, event: Parameters<AppEventStore['add']>[0]): boolean {
  const { user, app, ...more } = event;
  const about = 'about' in event ? event.about : '';
  const sql = 'SELECT doc FROM states WHERE user = ? AND app IS ? AND about = ?';
  const row = tables.get<Pick<Row, 'doc'>>(sql, user, app, about);
  const before: Kept | undefined = row && JSON.parse(row.doc);
  if (before?.id?.of === event.id.of && before.id.seq >= event.id.seq) return false;
  if (event.state === 'running' && before?.state !== 'crashed') return false;
  const now = new Date();
  const told = { state: event.state, at: now.getTime(), first: `${event.id.of} ${event.id.seq}` };
  const first = firstOf(told, before && { first: told.first, ...before, at: Date.parse(before.at) });
  if (about !== '' && (first === null || (!before && !hasRoom(tables, user, app)))) return false;
  const doc = JSON.stringify({ ...more, at: now.toISOString(), ...(about !== '' && { first }) });
  tables.run('DELETE FROM states WHERE user = ? AND app IS ? AND about = ?', user, app, about);
  tables.run('INSERT INTO states (user, app, about, doc) VALUES (?, ?, ?, ?)', user, app, about, doc);
  return true;
}

/**
 * Makes room for one more subject. What fails is not forgotten, because it would be told again at the next look, in another
 * entry. Returns false when all fail.
 */
function hasRoom(tables: Tables, user: string, app: string | null): boolean {
  const sql = "SELECT seq, doc FROM states WHERE user = ? AND app IS ? AND about <> '' ORDER BY seq";
  const told = tables.all<Pick<Row, 'seq' | 'doc'>>(sql, user, app);
  if (told.length < MOST_INCIDENTS) return true;
  const over = told.find(({ doc }) => (JSON.parse(doc) as Kept).state === 'running');
  if (over) tables.run('DELETE FROM states WHERE seq = ?', over.seq);
  return over !== undefined;
}
