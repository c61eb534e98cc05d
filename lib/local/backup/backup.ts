import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { hasCode, OperatorError } from '../../files/errors.ts';
import { isAlive } from '../../process/process-info.ts';
import { contentsOf, type DatabaseFiles, PARTS } from './contents.ts';
import { reasonOf, shown } from './paths.ts';

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
    const own = await listOf(join(staged, 'own'), [...parts, ...snapshots]);
    const theirs = await listOf(join(staged, 'theirs'), [...contents.paths, ...plain]);
    const args = ['-cz', '--no-recursion', '-f', '-', '-C', staged, '--null', '-T', own, '-C', dataDir, '-T', theirs];
    const unread = await packed(args, part, signal);
    await rename(part, file);
    const { size } = await stat(file);
    const files = contents.files + parts.length;
    const links = contents.links.map(shown);
    return { bytes: size, files, copied, links, unread: [...contents.unread, ...unread] };
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
    const found = await stat(from).catch(() => null);
    if (name === LOG) await snapshotLog(from, to);
    else if (found?.isDirectory()) await mkdir(to);
    else if (found?.isFile()) await copyFile(from, to);
    else continue;
    if (found) await chmod(to, found.mode & 0o777);
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
  // The data folder may be a link of the operator, and so may a part of it.
  const real = dirname(await realpath(join(dataDir, 'platform')).catch(() => join(dataDir, 'platform')));
  for (const { path, beside } of databases) {
    signal.throwIfAborted();
    const name = shown(path);
    try {
      if (Buffer.from(name).toString('latin1') !== path) throw new Error('its name is not UTF-8');
      await snapshot(join(dataDir, name), join(staged, name), { timeoutMs: LOCKED_MS, place: join(real, name) });
      snapshots.push(path);
    } catch (cause) {
      // It was removed meanwhile.
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
    if (place !== undefined && !hasOpened(place))
      throw Object.assign(new Error('it has been replaced'), { code: 'ENOENT' });
    database.prepare('VACUUM INTO ?').run(to);
    await chmod(to, mode & 0o777);
  } catch (cause) {
    await rm(to, { force: true });
    throw cause;
  } finally {
    database.close();
  }
}

const OPENED = '/proc/self/fd';

/** Whether this process has opened the file at that place, with no link on the way. Where the system does not tell, it has. */
function hasOpened(place: string): boolean {
  if (!existsSync(OPENED)) return true;
  return readdirSync(OPENED).some((name) => {
    try {
      return readlinkSync(join(OPENED, name)) === place;
    } catch {
      // It was the folder that is read.
      return false;
    }
  });
}

/** Names files for tar: they may be many, and have any bytes. */
async function listOf(file: string, paths: readonly string[]): Promise<string> {
  await writeFile(file, Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1'));
  return file;
}

/** Removes what has the id of a process in its name that does not run. */
async function removeKilled(folder: string, pattern: RegExp): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid] = pattern.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Of files that were removed, or written to, since they were listed; what was read of them is in the backup. */
const CHANGED =
  /: (?:Cannot stat: No such file or directory|File removed before we read it|file changed as we read it)$/;
/** The last line of a tar that has gone on after errors. */
const WENT_ON = /previous errors\.?$/;

/** Returns what tar could not read. */
async function packed(args: readonly string[], file: string, signal: AbortSignal): Promise<readonly string[]> {
  const out = createWriteStream(file, { mode: 0o600, flags: 'wx' });
  const env = { ...process.env, LC_ALL: 'C' };
  const child = spawn('tar', [...args], { stdio: ['ignore', 'pipe', 'pipe'], env, signal });
  const ended = once(child, 'close').then(([code]) => code);
  // Its rejection is that of the pipeline or of `ended`, whichever comes first.
  const said = text(child.stderr).catch(() => '');
  const [code] = await Promise.all([ended, pipeline(child.stdout, out, { signal })]).catch((cause: unknown) => {
    throw signal.aborted ? cause : new OperatorError(`The backup cannot be written to ${file}.`, { cause });
  });
  const lines = (await said).split('\n').filter((line) => line !== '');
  // GNU tar ends with 1 when files have changed only.
  if (code !== 0 && code !== 1 && !WENT_ON.test(lines.at(-1) ?? '')) {
    throw new OperatorError(`The backup failed: tar ended with ${code} (${lines[0]}).`);
  }
  return lines.filter((line) => !CHANGED.test(line) && !WENT_ON.test(line)).map((line) => line.replace(/^tar: /, ''));
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
