import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { appName } from '../../../functions/core/entry/package-name.ts';
import { AppEvent } from '../../../functions/core/ports/app-event.ts';
import { keyedBy, readState } from '../../files/state-file.ts';
import { messageOf } from '../../http/http-error.ts';
import type { AppId } from '../../runner/calls.ts';
import type { Log } from '../settings.ts';
import { AppRecord } from './apps.ts';
import { type Folders, namesIn } from './folders.ts';
import { Snapshot } from './snapshots.ts';

const App = v.object({ ...AppRecord.entries, domains: v.optional(v.array(v.string()), []) });
const Variables = keyedBy(v.string(), v.string());
const Events = v.object({ last: v.number(), events: v.array(v.object({ ...AppEvent.entries, at: v.string() })) });

/** An application as version 1.0.0 has stored it. */
interface Earlier extends AppId {
  readonly record: v.InferOutput<typeof App>;
  readonly variables: v.InferOutput<typeof Variables>;
  readonly snapshots: readonly Snapshot[];
}

interface Parts {
  readonly folders: Folders;
  readonly tables: Tables;
  readonly log: Log;
}

/**
 * Takes over the records of version 1.0.0, which were JSON files, all in one transaction. The files stay until the second
 * start, so that one can go back. A damaged one is reported and left as it is: an application without its record or its
 * variables is not taken over. Before anything runs.
 */
export async function takeOverRecords(parts: Parts): Promise<void> {
  const { folders, tables } = parts;
  const records: Earlier[] = [];
  for (const user of await namesIn(folders.apps)) {
    for (const app of await namesIn(folders.ofUser(user))) records.push(...(await takenFrom(parts, { user, app })));
  }
  const events = await eventsOf(parts);
  if (records.length === 0 && !events) return;
  await tables.write(() => {
    for (const one of records) insert(tables, one);
    if (events) insertEvents(tables, events);
  });
}

/** Returns the application in a folder, if it is to be taken over. Removes the files of one that has been before. */
async function takenFrom({ folders, tables, log }: Parts, name: AppId): Promise<readonly Earlier[]> {
  const damaged = (error: unknown) => log({ type: 'platform.damaged', ...name, detail: messageOf(error) });
  const { record: file, states, variables } = filesOf(folders, name);
  if (!existsSync(file)) return [];
  if (tables.get('SELECT 1 FROM applications WHERE user = ? AND app = ?', name.user, name.app)) {
    for (const path of [...(await states()), variables, file]) await rm(path, { force: true });
    return [];
  }
  try {
    const stored = { record: await readState(file, App), variables: (await readState(variables, Variables)) ?? {} };
    const read = (await states()).map((path) => readState(path, Snapshot).catch(damaged));
    const snapshots = (await Promise.all(read)).flatMap((snapshot) => (snapshot ? [snapshot] : []));
    const { record } = stored;
    return record ? [{ ...(await renamed(folders, name, record.name)), ...stored, record, snapshots }] : [];
  } catch (error) {
    damaged(error);
    return [];
  }
}

function filesOf({ ofApp }: Folders, name: AppId) {
  const { root, snapshots } = ofApp(name);
  const states = async () =>
    (await namesIn(snapshots)).filter((file) => file.endsWith('.json')).map((file) => join(snapshots, file));
  return { record: join(root, 'app.json'), variables: join(root, 'variables.json'), states };
}

/** Finishes a rename that was cut off. Returns the application. */
async function renamed({ ofApp }: Folders, { user, app }: AppId, full: string): Promise<AppId> {
  const to = { user, app: appName(full) };
  if (existsSync(ofApp(to).root)) return { user, app };
  await rename(ofApp({ user, app }).root, ofApp(to).root);
  return to;
}

/** Returns the events, if they are to be taken over. */
async function eventsOf({ folders, tables, log }: Parts) {
  const file = join(folders.root, 'events.json');
  if (tables.get("SELECT 1 FROM sqlite_sequence WHERE name = 'states'")) await rm(file, { force: true });
  return readState(file, Events).catch((error: unknown) => {
    log({ type: 'platform.damaged', detail: messageOf(error) });
    return undefined;
  });
}

function insert(tables: Tables, { user, app, record, variables, snapshots }: Earlier): void {
  const { domains, ...doc } = record;
  tables.run(
    'INSERT INTO applications (user, app, doc, variables) VALUES (?, ?, ?, ?)',
    ...[user, app, JSON.stringify(doc), JSON.stringify(variables)],
  );
  for (const name of domains) {
    tables.run('INSERT OR IGNORE INTO domains (name, user, app) VALUES (?, ?, ?)', name, user, app);
  }
  for (const snapshot of snapshots) {
    const sql = 'INSERT OR IGNORE INTO snapshots (user, app, id, doc) VALUES (?, ?, ?, ?)';
    tables.run(sql, user, app, snapshot.id, JSON.stringify(snapshot));
  }
}

function insertEvents(tables: Tables, { last, events }: v.InferOutput<typeof Events>): void {
  for (const { seq, user, app, ...event } of events) {
    tables.run(
      `INSERT INTO states (seq, user, app, doc)
       SELECT ?, user, app, ? FROM applications WHERE user = ? AND app = ?`,
      ...[seq, JSON.stringify(event), user, app],
    );
  }
  // The last event may have been that of an application that has been removed.
  tables.run("DELETE FROM sqlite_sequence WHERE name = 'states'");
  tables.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('states', ?)", last);
}
