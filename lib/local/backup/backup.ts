import { createWriteStream, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { hasCode, MISSING, OperatorError, unless } from '../../files/errors.ts';
import { openedPlaces } from '../../files/opened.ts';
import { BESIDE } from '../../files/sqlite-files.ts';
import { isAlive } from '../../process/process-info.ts';
import { contentsOf, type DatabaseFiles, PARTS } from './contents.ts';
import { packed } from './pack.ts';
import { placesOf, reasonOf, shown } from './paths.ts';

/** The first file of a backup, by which it is recognised. */
export const MARK = 'deployment-webhooks-backup.json';
export const FORMAT = 1;

interface Written {
  readonly bytes: number;
  readonly files: number;
  /** Databases of applications that are copied as they are, each with the reason why no snapshot could be taken. */
  readonly copied: readonly string[];
  /** Links of applications that are left out. */
  readonly links: readonly string[];
  /** Files and folders that could not be read, each with the reason. */
  readonly unread: readonly string[];
}

export const LOG = 'service.db';
/** How long an application's database is waited for: it may be locked for as long as the application runs. */
const LOCKED_MS = 1_000;
const LOG_LOCKED_MS = 10_000;

/**
 * Writes the parts of a data folder that no start can make again into a gzip tarball of mode 0600, also while the service
 * runs. Nothing is left of one that fails or is aborted. What applications keep from being read does not make it fail.
 * Throws an `OperatorError`.
 */
export async function writeBackup(dataDir: string, file: string, signal: AbortSignal): Promise<Written> {
  if (!(await exists(join(dataDir, LOG)))) {
    throw new OperatorError(`There is nothing to back up in ${dataDir}: the service has not been started there.`);
  }
  if (await exists(file)) throw new OperatorError(`${file} exists already: name another file, or move it away.`);
  // Each names its process, so that the next backup tells what a killed one has left from what another one writes.
  const part = `${file}.${process.pid}.part`;
  await removeKilled(dataDir, /^backup-(\d+)-/);
  await removeKilled(dirname(file), new RegExp(`^${escaped(basename(file))}\\.(\\d+)\\.part$`));
  const staged = await mkdtemp(join(dataDir, `backup-${process.pid}-`));
  try {
    // The database first: a file of which it does not know is left over, and a row without its file is lost.
    const parts = await stageParts(dataDir, staged);
    const contents = await contentsOf(dataDir);
    const { snapshots, plain, copied } = await stageDatabases(dataDir, staged, contents.databases, signal);
    const unread = [...contents.unread];
    const archive = packed(
      [
        { folder: staged, paths: [...parts, ...snapshots] },
        { folder: dataDir, paths: [...contents.paths, ...plain] },
      ],
      unread,
    );
    await written(archive, part, signal);
    await rename(part, file);
    const { size } = await stat(file);
    const files = contents.files + parts.length;
    const links = contents.links.map(shown);
    return { bytes: size, files, copied, links, unread };
  } finally {
    await rm(part, { force: true });
    await rm(staged, { recursive: true, force: true });
  }
}

/**
 * Copies what the data folder itself has, the mark first, and makes its folders. A part may be a link of the operator to
 * another disk: its name stands for what it leads to. Returns their names.
 */
async function stageParts(dataDir: string, staged: string): Promise<readonly string[]> {
  const mark = { format: FORMAT, created_at: new Date().toISOString() };
  await writeFile(join(staged, MARK), `${JSON.stringify(mark)}\n`);
  const names = [MARK];
  for (const name of PARTS) {
    const [from, to] = [join(dataDir, name), join(staged, name)];
    const part = await unless(MISSING, stat(from));
    if (name === LOG) await snapshotLog(from, to);
    else if (part?.isDirectory()) await mkdir(to);
    else if (part?.isFile()) await copyFile(from, to);
    else continue;
    if (part) await chmod(to, part.mode & 0o777);
    names.push(name);
  }
  return names;
}

async function snapshotLog(from: string, to: string): Promise<void> {
  await snapshot(from, to, { timeoutMs: LOG_LOCKED_MS }).catch((cause: unknown) => {
    throw new OperatorError(`The log ${from} cannot be backed up: ${reasonOf(cause)}.`, { cause });
  });
}

/**
 * Takes a snapshot of each database. Where that fails (the application has locked it, it is damaged, it only looks like
 * one) the file is copied with those of its transactions: `copied` says why.
 */
async function stageDatabases(
  dataDir: string,
  staged: string,
  databases: readonly DatabaseFiles[],
  signal: AbortSignal,
) {
  const [snapshots, plain, copied]: [string[], string[], string[]] = [[], [], []];
  const placeOf = placesOf(dataDir);
  for (const { path, beside } of databases) {
    signal.throwIfAborted();
    const name = shown(path);
    try {
      if (Buffer.from(name).toString('latin1') !== path) throw new Error('its name is not UTF-8');
      await snapshot(join(dataDir, name), join(staged, name), {
        timeoutMs: LOCKED_MS,
        place: placeOf(path).toString(),
      });
      snapshots.push(path);
    } catch (cause) {
      // The database was removed meanwhile.
      if (hasCode(cause, 'ENOENT')) continue;
      plain.push(path, ...beside);
      copied.push(`${name}: ${reasonOf(cause)}`);
    }
  }
  return { snapshots, plain, copied };
}

interface Reading {
  readonly timeoutMs: number;
  /** Where the database must be: an application may put a link to another file in its place. Absent: the link is the operator's. */
  readonly place?: string;
}

/** Copies a database with all that has been committed, and its permissions, while others write to it. */
async function snapshot(from: string, to: string, { timeoutMs, place }: Reading): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  // Loaded here: no other command of the command line needs it.
  const { default: Database } = await import('libsql');
  // Right before, because the library would make a file that the application has removed meanwhile.
  const { mode } = statSync(from);
  const database = new Database(from, { timeout: timeoutMs });
  try {
    if (place !== undefined) refuseReplaced(place);
    database.prepare('VACUUM INTO ?').run(to);
    // What is beside it was opened by its path.
    if (place !== undefined) refuseReplaced(place);
    await chmod(to, mode & 0o777);
  } catch (cause) {
    await rm(to, { force: true });
    throw cause;
  } finally {
    database.close();
  }
}

/** Throws the error of a file that is not there when this process has opened the database, or what is beside it, elsewhere. */
function refuseReplaced(place: string): void {
  const names = ['', ...BESIDE].map((end) => basename(place) + end);
  const opened = openedPlaces()?.filter((one) => names.includes(basename(one)));
  if (opened === undefined) return;
  if (opened.includes(place) && opened.every((one) => dirname(one) === dirname(place))) return;
  throw Object.assign(new Error('it has been replaced'), { code: 'ENOENT' });
}

/** Removes what has the id of a process in its name that does not run. */
async function removeKilled(folder: string, pattern: RegExp): Promise<void> {
  for (const name of (await unless(MISSING, readdir(folder))) ?? []) {
    const [, pid] = pattern.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

async function written(archive: Iterable<Buffer>, file: string, signal: AbortSignal): Promise<void> {
  const out = createWriteStream(file, { mode: 0o600, flags: 'wx' });
  await pipeline(archive, createGzip(), out, { signal }).catch((cause: unknown) => {
    throw signal.aborted ? cause : new OperatorError(`The backup cannot be written to ${file}.`, { cause });
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    },
  );
}
