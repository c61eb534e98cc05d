import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { pathOf } from '../../../functions/adapters/platform/aws-lambda/table/items.ts';
import { changeItem, entryItem, keys, ownerPartition } from '../../../functions/adapters/stores/dynamodb/items.ts';
import { type AppOwner, ownerIdKey, parentOf } from '../../../functions/core/entry/app-owner.ts';
import type { Entry } from '../../../functions/core/entry/entry.ts';
import { type Dynoxide, startFilledDynoxide } from '../../aws-local/emulators/dynoxide.ts';
import { CONNECTIONS, createKeyedTable, emulatorClient, keyedTable, LOG_TABLES, logTable } from '../dynamodb-table.ts';
import { entry } from '../entries.ts';

/** The user to whom everything belongs. */
export const USER = 'ann';
export const APPS = 2_000;
export const PREVIEWS = 800;
export const ENTRIES = 100_000;
/** The name of the platform's table. */
export const PLATFORM = 'platform';
/** Pull requests of each of the first repositories. */
export const PULLS = 10;
/** A scope, so that the platform and the log know an application by different names. */
export const packageOf = (app: string): string => `@acme/${app.slice('acme-'.length)}`;

export const WORK = { attempts: 1, restarts: 0, lease: null, takenAt: null, counted: null, lookAt: null } as const;

type Item = Readonly<Record<string, AttributeValue>>;

/** An application with the names that the log and the platform have of it. */
export interface SeededApp {
  readonly app: string;
  readonly owner: AppOwner;
  readonly branch: string;
}

/** The applications, and the previews of some of them. */
export const seededApps: readonly SeededApp[] = [
  ...Array.from({ length: APPS }, (_, at) => seeded(at)),
  ...Array.from({ length: PREVIEWS }, (_, at) => seeded(Math.floor(at / PULLS), (at % PULLS) + 1)),
];

function seeded(id: number, pull?: number): SeededApp {
  const repository = { host: 'github', owner: 'acme', name: `app-${id}`, id: `${id}` };
  if (pull === undefined) return { app: `acme-app-${id}`, owner: repository, branch: 'master' };
  const owner = { ...repository, pullRequest: { number: pull, parent: `acme-app-${id}` } };
  return { app: `acme-app-${id}-pr-${pull}`, owner, branch: 'next' };
}

/** Returns the entry of a number: each application has one in turn. */
export function seededEntry(number: number, now: number): Entry {
  const { app, owner, branch } = seededApps[(number - 1) % seededApps.length] ?? seeded(0);
  const { pullRequest, host, owner: of, name, id = '' } = owner;
  return entry({
    ...(pullRequest && { kind: 'preview', pullRequest }),
    ...{ user: USER, number, seq: number, branch, stage: 'start', status: 'ok' },
    repository: { host, owner: of, name, id, url: null, private: false },
    appName: packageOf(app),
    snapshot: `1.0.0-${number}`,
    ...{ receivedAt: now, updatedAt: now, finishedAt: now },
  });
}

const ROUNDS = Math.floor(ENTRIES / seededApps.length);

/** Returns the number of the entry that an application runs, by its place. */
export const lastOf = (at: number): number => (ROUNDS - 1) * seededApps.length + at + 1;

/** Starts a database with them in the table of the log and in that of the platform. */
export async function startWithApps(folder: string): Promise<Dynoxide> {
  const now = Date.now();
  const numbers = Array.from({ length: ENTRIES }, (_, at) => at + 1);
  const count = { N: `${ENTRIES}` };
  exportTable(folder, LOG_TABLES.table, [
    { ...keys.counters(USER), changes: count, entries: count },
    ...numbers.map((number) => itemOf(number, now)),
    ...numbers.slice(-200).map((number) => changeItem(seededEntry(number, now), now + 3_600_000, false)),
    ...seededApps.flatMap((one, at) => factsOf(one, { active: lastOf(at), entries: ROUNDS, now })),
  ]);
  exportTable(
    folder,
    PLATFORM,
    seededApps.flatMap(({ app }, at) => platformItems(app, `1.0.0-${lastOf(at)}`)),
  );
  const schema = [logTable, keyedTable(PLATFORM)].map((Table) => ({ Table: { ...Table, TableStatus: 'ACTIVE' } }));
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(schema));
  const database = await startFilledDynoxide(folder);
  const client = emulatorClient(database.endpoint);
  for (const table of [LOG_TABLES.payloads, CONNECTIONS]) await createKeyedTable(client, table);
  return database;
}

function exportTable(folder: string, table: string, items: readonly Item[]): void {
  const lines = items.map((item) => JSON.stringify({ Item: wire(item) }));
  mkdirSync(join(folder, table, 'data'), { recursive: true });
  writeFileSync(join(folder, table, 'data', 'all.json.gz'), gzipSync(lines.join('\n'), { level: 1 }));
}

/** To pack and to index each takes longest: all but the newest have the document of the first, and are of no application. */
let old: Item | undefined;

function itemOf(number: number, now: number): Item {
  const isOld = number <= ENTRIES - 2 * seededApps.length;
  if (isOld && old) return { ...old, ...keys.entry(USER, number) };
  const appPosition = isOld ? null : Math.floor((number - 1) / seededApps.length) + 1;
  const item = entryItem(seededEntry(number, now), { ...WORK, appPosition }, null);
  if (isOld) old = item;
  return item;
}

interface Facts {
  readonly active: number;
  readonly entries: number;
  readonly now: number;
}

/** As `move` and `ownApp` write them. */
function factsOf({ app, owner, branch }: SeededApp, { active, entries, now }: Facts): readonly Item[] {
  const due = `${now + 3_600_000}`;
  return [
    { ...keys.app(USER, packageOf(app)), active: { N: `${active}` }, entries: { N: `${entries}` } },
    {
      ...keys.app(USER, app),
      owner_doc: { S: JSON.stringify(owner) },
      owner_key: { S: ownerIdKey(owner) ?? '' },
      owner_id: { S: ownerIdKey(owner) ?? '' },
      pushed_branch: { S: branch },
      app_pk: { S: ownerPartition(USER, ownerIdKey(parentOf(owner)) ?? '') },
      app_sk: { S: owner.pullRequest ? `P#${owner.pullRequest.number};` : 'A' },
      package: { S: packageOf(app) },
      due_pk: { S: owner.pullRequest ? 'PREVIEW' : 'RECONCILE' },
      due_at: { N: due },
    },
  ];
}

function platformItems(app: string, snapshot: string): readonly Item[] {
  const [name, pk] = [packageOf(app), `A#${USER}`];
  return [
    { pk, sk: app, name, snapshot, version: '1', state: 'running', url: `https://${app}.example.com` },
    { pk: `S#${pathOf({ user: USER, app })}`, sk: snapshot, state: 'ready' },
  ].map((texts) => Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, { S: value }])));
}

/** Returns an item as the protocol of the database has it. */
export function wire(item: Item): object {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      value.B ? { B: Buffer.from(value.B).toString('base64') } : value,
    ]),
  );
}
