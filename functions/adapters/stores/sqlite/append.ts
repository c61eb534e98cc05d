import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { keyedMutex } from '../../../core/concurrency.ts';
import { nameFor } from '../../../core/entry/app-owner.ts';
import { type Entry, entryId, isFinal } from '../../../core/entry/entry.ts';
import { isDeploy } from '../../../core/entry/kinds.ts';
import type { AppendRequest, AppendResult, Change, DeployLog } from '../../../core/ports/log.ts';
import { expiry, RETENTION_SECONDS } from '../retention.ts';
import { joinApp, overruledUntil } from './apps.ts';
import type { Connection } from './connection.ts';
import { noteAppend } from './facts.ts';
import type { StoreContext } from './writer.ts';

/** Larger payloads are compressed beside the event loop: one of megabytes takes a tenth of a second. */
const LARGE_BYTES = 64 * 1024;
const gzipBeside = promisify<Uint8Array, typeof QUICK, Buffer>(gzip);
/** A fifth of the default's time, for a fifth more bytes: most of a small payload's time is the making of the window. */
const QUICK = { level: 3, memLevel: 5, windowBits: 13 };

/** Returns `DeployLog.append`. The entries of a user have the order of the calls, whatever the size of their payloads. */
export function appender(context: StoreContext): DeployLog['append'] {
  const inOrder = keyedMutex();
  let waiting = 0;
  const write = (request: AppendRequest, packed: Uint8Array) =>
    context.writer.run((publish) => append(context, { request, packed, publish }), packed.length);
  return async (request) => {
    const { payload, draft } = request;
    const isLarge = payload.length > LARGE_BYTES;
    if (!isLarge && waiting === 0) return write(request, gzipSync(payload, QUICK));
    waiting += 1;
    // In an object, because the next call does not wait for the commit.
    const queued = inOrder(draft.user, async () => ({ written: write(request, await gzipBeside(payload, QUICK)) }));
    const { written } = await queued.finally(() => {
      waiting -= 1;
    });
    return written;
  };
}

interface Append {
  readonly request: AppendRequest;
  readonly packed: Uint8Array;
  readonly publish: (change: Change) => void;
}

function append({ connection, clock, ids }: StoreContext, { request, packed, publish }: Append): AppendResult {
  const { draft, deliveryKey, overrules } = request;
  const now = clock.now();
  const earlier = deliveryKey ? numberOfDelivery(connection, draft.user, deliveryKey) : undefined;
  if (earlier !== undefined && earlier !== request.replaces) return { duplicateOf: earlier };
  const { number, seq } = nextNumbers(connection, draft.user);
  const order = draft.kind === 'operation' && { order: seq };
  const overruledBefore =
    overrules === undefined ? 0 : overruledUntil(connection, { user: draft.user, app: overrules });
  const before = overruledBefore > 0 && { overruledBefore };
  const entry: Entry = { ...draft, ...order, ...before, number, id: entryId(ids.hex(20), number), seq };
  const row = insertEntry(connection, entry, isFinal(entry.status) ? null : request.dueAt);
  writeChange(connection, { entry, row, patch: '{}', now });
  const expires = expiry(now, RETENTION_SECONDS.payload);
  connection.run('INSERT INTO payloads (entry, expires, gzip) VALUES (?, ?, ?)', row, expires, packed);
  if (deliveryKey) writeDelivery(connection, entry, deliveryKey, now);
  if (entry.appName !== null) joinApp(connection, row, entry.user, entry.appName);
  if (overrules !== undefined) overrule(connection, entry, overrules);
  noteAppend(connection, entry, request, now);
  forgetExpired(connection, row, now);
  publish(entry);
  return { entry };
}

function numberOfDelivery(connection: Connection, user: string, key: string): number | undefined {
  const sql = 'SELECT number FROM deliveries WHERE user = ? AND key = ?';
  return connection.get<{ number: number }>(sql, user, key)?.number;
}

function nextNumbers(connection: Connection, user: string): { readonly number: number; readonly seq: number } {
  const sql = `INSERT INTO users (name, entries, changes) VALUES (?, 1, 1)
     ON CONFLICT DO UPDATE SET entries = entries + 1, changes = changes + 1
     RETURNING entries AS number, changes AS seq`;
  const numbers = connection.get<{ number: number; seq: number }>(sql, user);
  if (!numbers) throw new Error('The database returned no numbers.');
  return numbers;
}

/** Returns the id of the row. */
function insertEntry(connection: Connection, entry: Entry, dueAt: number | null): number {
  const { user, number, seq, status, stage, repository, path } = entry;
  const row = connection.get<{ id: number }>(
    `INSERT INTO entries (user, number, seq, status, stage, due_at, repository, path, doc)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    user,
    number,
    seq,
    status,
    stage,
    dueAt,
    repository && isDeploy(entry) ? nameFor(repository.name, entry).toLowerCase() : null,
    path ?? null,
    JSON.stringify(entry),
  );
  return row?.id ?? 0;
}

export function writeChange(
  connection: Connection,
  { entry, row, patch, now }: { readonly entry: Entry; readonly row: number; readonly patch: string; now: number },
): void {
  const sql = 'INSERT INTO changes (expires, user, seq, entry, patch) VALUES (?, ?, ?, ?, ?)';
  connection.run(sql, expiry(now, RETENTION_SECONDS.change), entry.user, entry.seq, row, patch);
}

function writeDelivery(connection: Connection, { user, number }: Entry, key: string, now: number): void {
  const sql = `INSERT INTO deliveries (expires, user, key, number) VALUES (?, ?, ?, ?)
     ON CONFLICT (user, key) DO UPDATE SET expires = excluded.expires, number = excluded.number`;
  connection.run(sql, expiry(now, RETENTION_SECONDS.delivery), user, key, number);
}

function overrule(connection: Connection, { user, number }: Entry, app: string): void {
  const sql = `INSERT INTO platform_apps (user, app, overruled) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET overruled = excluded.overruled`;
  connection.run(sql, user, app, number);
}

/** After this number of entries some expired rows are removed: more than those entries have added. */
const EVERY_ENTRIES = 16;
const ROWS = 256;

/** Tables whose rows expire in the order of their keys. */
const BY_KEY = [
  { table: 'changes', key: 'id' },
  { table: 'payloads', key: 'entry' },
  { table: 'deliveries', key: 'id' },
] as const;

/**
 * Removes some of what has expired, after some entries. In small steps, because a transaction holds up the event loop.
 * The pages are used again: the file does not shrink, and does not grow either.
 */
function forgetExpired(connection: Connection, entry: number, now: number): void {
  if (entry % EVERY_ENTRIES !== 0) return;
  const seconds = Math.floor(now / 1000);
  for (const { table, key } of BY_KEY) {
    const first = connection.get<{ expires: number }>(`SELECT expires FROM ${table} ORDER BY ${key} LIMIT 1`);
    if (first === undefined || first.expires > seconds) continue;
    if (table === 'deliveries') renewLasting(connection, seconds);
    const oldest = `SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT ${ROWS}`;
    connection.run(`DELETE FROM ${table} WHERE ${key} IN (${oldest}) AND expires <= ?`, seconds);
  }
  const sql = `DELETE FROM commits WHERE (user, repository, sha, track) IN
       (SELECT user, repository, sha, track FROM commits WHERE expires <= ? ORDER BY expires LIMIT ${ROWS})`;
  connection.run(sql, seconds);
}

/** By its key the end of an incident finds the entry that has told it: while it lasts, the key stays, as the newest one. */
function renewLasting(connection: Connection, seconds: number): void {
  const oldest = `SELECT * FROM deliveries ORDER BY id LIMIT ${ROWS}`;
  connection.run(
    `INSERT OR REPLACE INTO deliveries (expires, user, key, number)
       SELECT ?, user, key, number FROM (${oldest}) JOIN entries USING (user, number)
       WHERE expires <= ? AND status = 'crashed' AND doc ->> 'operation' = 'incident'`,
    seconds + RETENTION_SECONDS.delivery,
    seconds,
  );
}
