import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { TarballStore } from '../../core/ports/stages.ts';

/** The end of the name of a file that is being written. */
const PART = '.part';
/** A tarball that is removed too early is fetched again. */
const RETENTION_MS = 2 * 24 * 60 * 60_000;

/**
 * Returns the store of tarballs in a folder, which is made when it is first used. A tarball has its name as soon as it
 * is whole and on the disk. What is left of a process that was killed, and what nobody has removed for two days, is
 * removed at the first use: the folder belongs to one process.
 */
export function fileTarballs(folder: string): TarballStore {
  let prepared: Promise<void> | undefined;
  const prepare = () => {
    prepared ??= prepareFolder(folder).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  // A digest, because keys have any length and case, and a name may not.
  const pathOf = (key: string) => join(folder, `${createHash('sha256').update(key).digest('hex')}.tar.gz`);
  return {
    async put(key, body) {
      await prepare();
      const path = pathOf(key);
      const part = `${path}.${randomUUID()}${PART}`;
      try {
        await pipeline(body, createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }));
        await rename(part, path);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    },

    async get(key) {
      const path = pathOf(key);
      const found = await stat(path).catch(unlessMissing);
      return found && { body: contentOf(path), bytes: found.size };
    },

    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
  };
}

/** The file is opened when it is read, so that none is left open by who does not. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield* createReadStream(path);
}

async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const isLeft = name.endsWith(PART) || (await stat(path)).mtimeMs < Date.now() - RETENTION_MS;
    if (isLeft) await rm(path, { recursive: true, force: true });
  }
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
