import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Application, allApplications } from '../../client/applications.ts';
import { Problem } from '../../client/client.ts';
import { type Entry, logPage, readEntry } from '../../client/entry.ts';
import { emptyLog, endedSince, type Log, withPage, withRows } from '../model/log.ts';
import { type Api, addressIn, api } from './api.ts';
import { type Connection, live } from './live.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { basicSubprotocol, type Session } from './session.ts';
import { Store } from './store.ts';

/** All that the views of a signed-in user share. */
export interface Workspace {
  readonly api: Api;
  readonly session: Session;
  readonly log: Store<Log>;
  /** Null until they are known. */
  readonly apps: Store<readonly Application[] | null>;
  readonly connection: Store<Connection>;
  /** The entry of an operation that was accepted a moment ago. */
  readonly accepted: Store<Entry | null>;
  /** Reads the next page of a list of the log: of one application, or ('') of all. */
  loadMore(app: string): Promise<void>;
  newestEntry(app: string): Promise<Entry | null>;
  /** Reads an entry, which may be older than all that is known. */
  loadEntry(id: string): Promise<void>;
  refreshApps(): Promise<void>;
  add(entry: Entry): void;
  signOut(): void;
  close(): void;
}

const PAGE_SIZE = 50;

/** Waits so long for further changes before the applications are read again. */
const APPS_DELAY_MS = 150;
/** Entries that end so have changed nothing on the platform. */
const NEVER_RAN = ['skipped', 'duplicate', 'superseded', 'cancelled', 'expired'];

/** Returns the workspace of a login; `leave` is called when the user signs out or is refused. */
export function openWorkspace(session: Session, leave: (why: 'signed-out' | 'refused') => void): Workspace {
  const client = api(session, () => leave('refused'));
  const log = new Store<Log>(emptyLog);
  const apps = new Store<readonly Application[] | null>(null);
  const connection = new Store<Connection>('connecting');

  const refreshApps = oneAtATime(async () => {
    apps.set((await allApplications(client, { include_docs: true })).apps);
  });
  const changes = live({ api: client, log, connection, openSocket: socketOpener(session) });
  const stopApps = followApps(log, refreshApps);
  const page = (app: string, limit: number, skip: number) => {
    // The service refuses to list the entries of an application that has none.
    const none = { total: 0, skip: 0, rows: [] };
    const isNew = apps.value?.some((one) => one.name === app && one.repository === null && one.active === null);
    if (isNew) return none;
    return logPage(client, { app: app || undefined, limit, skip }).catch((error) => noneWhenMissing(error, none));
  };
  return {
    api: client,
    session,
    log,
    apps,
    connection,
    accepted: new Store<Entry | null>(null),
    refreshApps,
    add: (entry) => log.update((known) => withRows(known, [entry])),
    loadMore: async (app) => {
      // The first screen does not wait for the feed.
      if (app !== '') await Promise.all([changes.ready, apps.value ?? refreshApps()]);
      const { extents, since } = log.value;
      const read = await page(app, PAGE_SIZE, extents.get(app)?.read ?? 0);
      log.update((known) => withPage(known, app, read, since));
    },
    newestEntry: async (app) => (await page(app, 1, 0)).rows[0] ?? null,
    loadEntry: async (id) => {
      await changes.ready;
      const entry = await readEntry(client, id);
      log.update((known) => withRows(known, [entry]));
    },
    signOut: () => leave('signed-out'),
    close: () => {
      changes.stop();
      stopApps();
    },
  };
}

/** A filter may name an application that has no entries. */
function noneWhenMissing<T>(error: unknown, none: T): T {
  if (error instanceof Problem && error.status === 404) return none;
  throw error;
}

/**
 * The address of the WebSocket is in the document; the login is a subprotocol, because a browser sets no headers there.
 */
function socketOpener(session: Session): (() => WebSocket) | null {
  const url = addressIn('signals');
  return url ? () => new WebSocket(url, ['changes', basicSubprotocol(session)]) : null;
}

/** Refreshes the applications when an entry that changes them has ended, and when the page is shown again. */
function followApps(log: Store<Log>, refresh: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let before = log.value;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void refresh().catch(() => {}), APPS_DELAY_MS);
  };
  const stop = log.follow(() => {
    const hasEnded = endedSince(before, log.value).some(({ status }) => !NEVER_RAN.includes(status));
    before = log.value;
    if (hasEnded) later();
  });
  const shown = () => document.visibilityState === 'visible' && later();
  document.addEventListener('visibilitychange', shown);
  later();
  return () => {
    document.removeEventListener('visibilitychange', shown);
    stop();
    clearTimeout(timer);
  };
}

export const WorkspaceContext = createContext<Workspace | null>(null);

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) throw new Error('Nobody has signed in.');
  return workspace;
}
