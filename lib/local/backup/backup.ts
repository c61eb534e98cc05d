import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { hasCode, OperatorError } from '../../files/errors.ts';
import { isAlive } from '../../process/process-info.ts';
import { contentsOf } from './contents.ts';

/** The first file of a backup, by which it is recognised. */
export const MARK = 'deployment-webhooks-backup.json';
export const FORMAT = 1;

interface Written {
  readonly bytes: number;
  readonly files: number;
}

/** GNU tar: "some files differ", for those that were written meanwhile. */
const CHANGED_MEANWHILE = 1;
/** Any error, that of a missing file included. */
const REMOVED_MEANWHILE = 2;
const GONE = /: (?:Cannot stat: No such file or directory|File removed before we read it|file changed as we read it)$/;
const LOG = 'service.db';

/**
 * Writes the parts of a data folder that no start can make again into a gzip tarball of mode 0600, also while the service
 * runs. Nothing is left of one that fails or is aborted. Throws an `OperatorError`.
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
    const { files, databases: found } = await contentsOf(dataDir);
    const mark = { format: FORMAT, created_at: new Date().toISOString() };
    await writeFile(join(staged, MARK), `${JSON.stringify(mark)}\n`);
    const databases: string[] = [];
    const plain: string[] = [];
    for (const path of found) {
      const isCopied = await snapshotOf(join(dataDir, path), join(staged, path));
      if (!isCopied && path === LOG)
        throw new OperatorError(`${join(dataDir, LOG)} is damaged: it cannot be backed up.`);
      (isCopied ? databases : plain).push(path);
    }
    signal.throwIfAborted();
    const list = join(staged, 'list');
    await writeFile(list, [...plain, ...files].map((path) => `${path}\0`).join(''));
    const args = ['-czf', '-', '-C', staged, MARK, ...databases, '-C', dataDir, '--null', '-T', list];
    await packed(args, part, signal);
    await rename(part, file);
    return { bytes: (await stat(file)).size, files: files.length + found.length };
  } finally {
    await rm(part, { force: true });
    await rm(staged, { recursive: true, force: true });
  }
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

async function packed(args: readonly string[], file: string, signal: AbortSignal): Promise<void> {
  const out = createWriteStream(file, { mode: 0o600, flags: 'wx' });
  const env = { ...process.env, LC_ALL: 'C' };
  const child = spawn('tar', [...args], { stdio: ['ignore', 'pipe', 'pipe'], env, signal });
  const ended = once(child, 'close').then(([code]) => code);
  // Its rejection is that of the pipeline or of `ended`, whichever comes first.
  const said = text(child.stderr).catch(() => '');
  const [code] = await Promise.all([ended, pipeline(child.stdout, out, { signal })]).catch((cause: unknown) => {
    throw signal.aborted ? cause : new OperatorError(`The backup cannot be written to ${file}.`, { cause });
  });
  if (code === 0 || code === CHANGED_MEANWHILE) return;
  const lines = (await said).trim().split('\n');
  // Files that were removed since they were listed: the last line only says that there were errors.
  if (code === REMOVED_MEANWHILE && lines.slice(0, -1).every((line) => GONE.test(line)) && lines.length > 1) return;
  const why = lines[0];
  throw new OperatorError(`The backup failed: tar ended with ${code}${why && ` (${why})`}.`);
}

/**
 * Copies a database with all that has been committed, while others write to it. False when the file only looks like one,
 * or is damaged: it is an application's, which may want it as it is.
 */
async function snapshotOf(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true });
  // Loaded here: no other command of the command line needs it.
  const { default: Database } = await import('libsql');
  const database = new Database(from, { timeout: 10_000 });
  try {
    database.prepare('VACUUM INTO ?').run(to);
    return true;
  } catch (cause) {
    await rm(to, { force: true });
    if (['SQLITE_NOTADB', 'SQLITE_CORRUPT'].some((code) => hasCode(cause, code))) return false;
    throw new OperatorError(`The database ${from} cannot be copied: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    });
  } finally {
    database.close();
  }
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
