import { type Entry, hasEnded, idOf, type LogPage, numberOf } from '../../client/entry.ts';

/** The part of a list of the log that has been read; the list of all applications, or of one. */
interface Extent {
  /** Entries of the list when it was last read. */
  readonly total: number;
  /** Entries that were read, from the newest: where the next page begins. */
  readonly read: number;
  /** The number of the oldest entry that was read: every newer one of the list is known. */
  readonly floor: number;
}

/** The part of the log that the page knows. Values are replaced, never changed. */
export interface Log {
  readonly entries: ReadonlyMap<string, Entry>;
  /** The entries, newest first. */
  readonly ordered: readonly Entry[];
  /** By application; '' for the list of all. */
  readonly extents: ReadonlyMap<string, Extent>;
  /** The number of the last change that is in it; null before the first page. */
  readonly since: number | null;
  /** What the service says of its machine. */
  readonly notice?: string;
}

export const emptyLog: Log = { entries: new Map(), ordered: [], extents: new Map(), since: null };

/** Returns the log with entries added. Of two states of an entry the later one stays, in whatever order they come. */
export function withRows(log: Log, rows: readonly Entry[]): Log {
  const news = rows.filter((row) => isNews(log, row));
  if (news.length === 0) return log;
  const entries = new Map(log.entries);
  const ordered = [...log.ordered];
  // A row without a document would hide what is known already.
  for (const row of news) {
    const doc = row.doc ?? entries.get(idOf(row))?.doc;
    const entry = doc ? { ...row, doc } : row;
    entries.set(idOf(row), entry);
    put(ordered, entry);
  }
  return { ...log, entries, ordered };
}

/** Puts an entry in its place, in that of its former state if there is one. */
function put(ordered: Entry[], entry: Entry): void {
  const number = numberOf(entry);
  let [from, to] = [0, ordered.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (numberOf(ordered[middle] as Entry) > number) from = middle + 1;
    else to = middle;
  }
  const place = ordered[from];
  ordered.splice(from, place && numberOf(place) === number ? 1 : 0, entry);
}

function isNews({ entries }: Log, row: Entry): boolean {
  const before = entries.get(idOf(row));
  if (before === undefined || row.seq > before.seq) return true;
  if (row.seq < before.seq || row.doc === undefined) return false;
  // A row without a document has kept the one of its former state; and a stage begins without a change.
  return before.doc?.seq !== before.seq || (isBetweenStages(before) && !isBetweenStages(row));
}

/** Returns whether an entry is under way and none of its stages has begun since its last change, as far as it is known. */
export function isBetweenStages({ status, doc }: Entry): boolean {
  return status === 'running' && doc !== undefined && !doc.stages.some((stage) => stage.status === 'running');
}

/**
 * Returns the log with a page of the list of an application ('' for all). `since` is that of the log when the page was
 * asked for: a page that was asked for before the feed was read may be older than the feed, which is then read again
 * from there.
 */
export function withPage(log: Log, app: string, page: Omit<LogPage, 'sent'>, since: number | null = log.since): Log {
  const { total, skip, rows, notice } = page;
  const before = log.extents.get(app);
  const read = skip + rows.length;
  const floor = read >= total ? 0 : Math.min(before?.floor ?? Infinity, ...rows.map(numberOf));
  const extents = new Map(log.extents).set(app, { total, read, floor });
  // Some rows come twice then, and none is missed.
  const newest = Math.max(0, ...rows.map(({ seq }) => seq));
  const from = since === null ? Math.min(log.since ?? newest, newest) : log.since;
  return { ...withRows(log, rows), extents, since: from, ...(notice !== undefined && { notice }) };
}

/** The choice of rows. Empty texts choose all. */
interface Filter {
  readonly app: string;
  readonly statuses: readonly string[];
  readonly branch: string;
}

/** Returns the known rows of a filter, newest first, without those below a gap that was not read. */
export function rowsOf({ ordered, extents }: Log, { app, statuses, branch }: Filter): Entry[] {
  const floor = extents.get(app)?.floor ?? Infinity;
  const matching: Entry[] = [];
  for (const entry of ordered) {
    if (numberOf(entry) < floor) break;
    if (app !== '' && entry.app_name !== app) continue;
    if (statuses.length > 0 && !statuses.includes(entry.status)) continue;
    if (branch !== '' && entry.doc?.branch !== branch) continue;
    matching.push(entry);
  }
  return matching;
}

/** The newest entries of applications, of each order of entries that there was: lists ask for all of them at each key. */
const newest = new WeakMap<readonly Entry[], ReadonlyMap<string | null, Entry>>();

function newestIn(ordered: readonly Entry[]): ReadonlyMap<string | null, Entry> {
  const made = newest.get(ordered) ?? new Map(ordered.toReversed().map((entry) => [entry.app_name, entry]));
  newest.set(ordered, made);
  return made;
}

/**
 * Returns the newest entry of an application, as far as the list of all was read; null when it is older than that. Cards
 * must not show a stale entry as the newest.
 */
export function newestOf(log: Log, app: string): Entry | null {
  const entry = newestIn(log.ordered).get(app);
  return entry && numberOf(entry) >= (log.extents.get('')?.floor ?? Infinity) ? entry : null;
}

/** Returns the entries that have ended, or ended in another way, since the log was as `before`. */
export function endedSince(before: Log, { entries, ordered }: Log): readonly Entry[] {
  if (before.entries === entries) return [];
  // An older one was read as a part of a page: it had ended before.
  const since = before.since ?? 0;
  return ordered.filter((entry) => {
    if (entry.seq <= since || !hasEnded(entry)) return false;
    return before.entries.get(idOf(entry))?.status !== entry.status;
  });
}

export function namesIn({ ordered }: Log): { readonly apps: readonly string[]; readonly branches: readonly string[] } {
  const [apps, branches] = [new Set<string>(), new Set<string>()];
  for (const { app_name, doc } of ordered) {
    if (app_name) apps.add(app_name);
    if (doc?.branch) branches.add(doc.branch);
  }
  return { apps: [...apps], branches: [...branches] };
}

/** Returns whether the log has entries of a list that were not read yet. */
export function hasMore({ extents }: Log, app: string): boolean {
  return (extents.get(app)?.floor ?? 0) > 1;
}
