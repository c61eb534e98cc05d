import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readFile, readlink, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import * as v from 'valibot';
import { diskSpace } from '../../files/disk-usage.ts';
import { hasCode, MISSING, OperatorError, unless } from '../../files/errors.ts';
import { lockInstance } from '../../process/instance-lock.ts';
import { FORMAT, LOG, MARK } from './backup.ts';
import { PARTS } from './contents.ts';
import { at, placesIn, shown, staysInside } from './paths.ts';

const Mark = v.object({ format: v.number(), created_at: v.string() });

/** A backup's first file. */
type Mark = v.InferOutput<typeof Mark>;

/** The folder in which a backup is unpacked, and its name when the backup has been read and checked. */
const [READING, READ] = ['restore-reading', 'restore-read'];

interface Restored {
  readonly mark: Mark;
  /** The links of the file that lead elsewhere: the data folder does not get them. */
  readonly leftOut: readonly string[];
}

/**
 * Puts a backup into a data folder without a service, which the next start brings back: it builds and starts the
 * applications that ran. The whole file is read before anything is written. Files and folders get their permissions, without
 * set-uid and the like, and belong to who restores. Throws an `OperatorError` for a file that is damaged, too large for the
 * disk or none of these backups, and for a folder that has data.
 */
export async function restoreBackup(file: string, dataDir: string, signal: AbortSignal): Promise<Restored> {
  if (!existsSync(file)) throw new OperatorError(`There is no file ${file}.`);
  if (!existsSync(join(dataDir, READ))) refuseData(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = await lockInstance(join(dataDir, 'lock'));
  const folder = join(dataDir, READING);
  try {
    const begun = await finishRestore(dataDir);
    if (begun) return { mark: begun, leftOut: [] };
    refuseData(dataDir);
    await mkdir(folder, { mode: 0o700 });
    const reading = { file, signal, mostBytes: (await diskSpace(dataDir)).free };
    const { first = '', hasOthers } = await tar(['-tvf', '-'], reading);
    if (!first.endsWith(` ${MARK}`) || hasOthers) throw foreign(file);
    await tar(['-xpf', '-', '--no-same-owner', '-C', folder], reading);
    const leftOut: string[] = [];
    await clean(folder, '', leftOut);
    const mark = await markIn(folder);
    if (!mark || !existsSync(join(folder, LOG))) throw foreign(file);
    if (mark.format > FORMAT) {
      throw new OperatorError(`${file} is of a later version of the service: restore it with that version.`);
    }
    await rename(folder, join(dataDir, READ));
    await finishRestore(dataDir);
    return { mark, leftOut };
  } finally {
    await rm(folder, { recursive: true, force: true });
    unlock();
  }
}

/**
 * Ends a restore that was killed: one that had read the whole file goes on, of another one nothing stays. Returns the mark
 * of a backup that is in the data folder then. A service must do so before it reads the folder, which may have a part only.
 */
export async function finishRestore(dataDir: string): Promise<Mark | null> {
  await rm(join(dataDir, READING), { recursive: true, force: true });
  const folder = join(dataDir, READ);
  const parts = PARTS.filter((part) => existsSync(join(folder, part)));
  const mark = await markIn(folder);
  if (parts.length > 0 && !mark) {
    throw new OperatorError(
      `${join(folder, MARK)} of a restore that was killed is missing or damaged: remove what is in ${dataDir}, and restore again.`,
    );
  }
  for (const part of parts) await rename(join(folder, part), join(dataDir, part));
  await rm(folder, { recursive: true, force: true });
  return mark;
}

function refuseData(dataDir: string): void {
  const parts = PARTS.filter((part) => existsSync(join(dataDir, part)));
  if (parts.length === 0) return;
  throw new OperatorError(
    `${dataDir} has data already (${parts[0]}), which a backup does not replace: set DATA_DIR to an empty folder, or move it away.`,
  );
}

interface Reading {
  readonly file: string;
  readonly signal: AbortSignal;
  readonly mostBytes: number;
}

/** What tar prints when it lists an archive. */
interface Printed {
  first?: string;
  last?: string;
  /** There is something else than files, folders and links. */
  hasOthers: boolean;
}

const LISTED = /^[-dlh]/;

/** Returns what tar prints. Throws the sentence for a file that cannot be read to its end, or is too large. */
async function tar(args: readonly string[], { file, signal, mostBytes }: Reading): Promise<Printed> {
  const env = { ...process.env, LC_ALL: 'C' };
  const child = spawn('tar', [...args], { stdio: ['pipe', 'pipe', 'ignore'], env, signal });
  let bytes = 0;
  const bounded = async function* (content: AsyncIterable<Buffer>) {
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw tooLarge(file, mostBytes);
      yield chunk;
    }
  };
  const printed: Printed = { hasOthers: false };
  const lines = async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      printed.first ??= line;
      printed.last = line;
      printed.hasOthers ||= !LISTED.test(line);
    }
  };
  try {
    const fed = pipeline(createReadStream(file), createGunzip(), bounded, child.stdin, { signal }).catch(unlessEnded);
    const ended = once(child, 'close');
    // First all that tar prints, also of a file that ends too early.
    await Promise.allSettled([ended, fed, lines()]);
    await fed;
    const [code] = await ended;
    if (code !== 0) throw new Error(`tar ended with ${code}.`);
    return printed;
  } catch (cause) {
    if (signal.aborted || cause instanceof OperatorError) throw cause;
    const where = printed.last === undefined ? '' : ` after "${printed.last}"`;
    const what = `${file} is damaged, or not a backup: it cannot be read to its end${where}. Nothing was changed.`;
    throw new OperatorError(what, { cause });
  }
}

/** Whether what tar has read until it ended was well is in its exit code. */
function unlessEnded(error: unknown): void {
  if (!hasCode(error, 'EPIPE') && !hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
}

/** Removes links, but for those of an application to its own files, and takes set-uid and the like from the others. */
async function clean(folder: string, path: string, leftOut: string[]): Promise<void> {
  for (const { path: inner, kind } of await placesIn(folder, path)) {
    const place = at(folder, inner);
    const { mode } = await lstat(place);
    if (kind === 'folder') {
      // Its own permissions may be too few to look into it.
      await chmod(place, 0o700);
      await clean(folder, inner, leftOut);
      await chmod(place, mode & 0o777);
    } else if (kind === 'file') {
      if ((mode & 0o7000) !== 0) await chmod(place, mode & 0o777);
    } else if (!staysInside(inner, await readlink(place, 'latin1'))) {
      leftOut.push(shown(inner));
      await rm(place);
    }
  }
}

async function markIn(folder: string): Promise<Mark | null> {
  const text = (await unless(MISSING, readFile(join(folder, MARK), 'utf8'))) ?? '';
  const mark = v.safeParse(v.pipe(v.string(), v.parseJson(), Mark), text);
  return mark.success ? mark.output : null;
}

function foreign(file: string): OperatorError {
  return new OperatorError(`${file} is not a backup of this service. Nothing was changed.`);
}

function tooLarge(file: string, bytes: number): OperatorError {
  const megabytes = Math.floor(bytes / 1e6);
  return new OperatorError(`${file} has more than the ${megabytes} MB that are free on the disk. Nothing was changed.`);
}
