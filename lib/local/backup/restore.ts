import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { OperatorError } from '../../files/errors.ts';
import { lockInstance } from '../../process/instance-lock.ts';
import { FORMAT, MARK } from './backup.ts';
import { PARTS } from './contents.ts';

const Mark = v.object({ format: v.number(), created_at: v.string() });

/** A backup's first file. */
type Mark = v.InferOutput<typeof Mark>;

/** The folder in which a backup is unpacked, and its name when the backup has been read and checked. */
const [READING, READ] = ['restore-reading', 'restore-read'];

/** Names of files, a line each. */
const MAX_LIST_BYTES = 1024 * 1024 * 1024;

/**
 * Puts a backup into a data folder without a service, which the next start brings back: it builds and starts the
 * applications that ran. The whole file is read before anything is written. Throws an `OperatorError` for a file that is
 * damaged or none of these backups, and for a folder that has data.
 */
export async function restoreBackup(file: string, dataDir: string, signal: AbortSignal): Promise<Mark> {
  if (!existsSync(file)) throw new OperatorError(`There is no file ${file}.`);
  if (!existsSync(join(dataDir, READ))) refuseData(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = await lockInstance(join(dataDir, 'lock'));
  const folder = join(dataDir, READING);
  try {
    const begun = await finishRestore(dataDir);
    if (begun) return begun;
    await mkdir(folder, { mode: 0o700 });
    const [first] = (await tar(['-tzf', file], file, signal)).split('\n', 1);
    if (first !== MARK) throw foreign(file);
    await tar(['-xzf', file, '-C', folder], file, signal);
    const mark = await markIn(folder, file);
    await rename(folder, join(dataDir, READ));
    await finishRestore(dataDir);
    return mark;
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
  if (!existsSync(folder)) return null;
  const mark = await markIn(folder, folder);
  for (const part of PARTS) if (existsSync(join(folder, part))) await rename(join(folder, part), join(dataDir, part));
  await rm(folder, { recursive: true });
  return mark;
}

function refuseData(dataDir: string): void {
  const found = PARTS.filter((part) => existsSync(join(dataDir, part)));
  if (found.length === 0) return;
  throw new OperatorError(
    `${dataDir} has data already (${found[0]}), which a backup does not replace: set DATA_DIR to an empty folder, or move it away.`,
  );
}

/** Throws the sentence for a file that tar cannot read to its end. */
async function tar(args: readonly string[], file: string, signal: AbortSignal): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('tar', [...args], { maxBuffer: MAX_LIST_BYTES, signal });
    return stdout;
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new OperatorError(`${file} is damaged, or not a backup: it cannot be read to its end. Nothing was changed.`, {
      cause,
    });
  }
}

async function markIn(folder: string, file: string): Promise<Mark> {
  const text = await readFile(join(folder, MARK), 'utf8');
  const mark = v.safeParse(v.pipe(v.string(), v.parseJson(), Mark), text);
  if (!mark.success) throw foreign(file);
  if (mark.output.format <= FORMAT) return mark.output;
  throw new OperatorError(`${file} is of a later version of the service: restore it with that version.`);
}

function foreign(file: string): OperatorError {
  return new OperatorError(`${file} is not a backup of this service. Nothing was changed.`);
}
