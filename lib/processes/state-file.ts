import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { hasCode } from './error-code.ts';

/** How a state file is written. */
export interface WriteOptions {
  /** Survive a power cut, not only the end of the process: for what cannot be made again (users, variables). */
  readonly durable?: boolean;
  /** For the owner only: passwords, tokens, variables. */
  readonly secret?: boolean;
}

/**
 * The parsed content of a JSON state file, or `undefined` when there is none. A file that is damaged or of another
 * shape is an error that names the file and what to do, because going on would overwrite it.
 */
export async function readState<S extends v.GenericSchema>(
  path: string,
  schema: S,
): Promise<v.InferOutput<S> | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const result = v.safeParse(schema, parseJson(text));
  if (result.success) return result.output;
  throw new Error(`The state file ${path} is damaged; repair it, or remove it to begin anew.`);
}

/**
 * Writes a JSON state file so that a reader sees the old content or the new one and never a half: a temporary file
 * beside it, renamed over it.
 */
export async function writeState(path: string, value: unknown, options: WriteOptions = {}): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', options.secret ? 0o600 : 0o644);
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      if (options.durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (options.durable) await syncFolder(dirname(path));
}

/** Makes a rename in this folder survive a power cut: https://man7.org/linux/man-pages/man2/fsync.2.html */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
