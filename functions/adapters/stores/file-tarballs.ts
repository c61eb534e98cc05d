import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { TarballStore } from '../../core/ports/stages.ts';

/**
 * Returns the store of tarballs in a folder, which is made when it is first used. A tarball has its name as soon as it
 * is whole and on the disk. At the first use all is removed that an earlier process left, except the tarballs of the
 * keys that `underWay` returns: the folder belongs to one process, and one that was killed may have stored a tarball
 * after its deploy had been superseded and closed.
 */
export function fileTarballs(folder: string, underWay: () => Promise<readonly string[]>): TarballStore {
  let prepared: Promise<void> | undefined;
  const prepare = () => {
    prepared ??= prepareFolder(folder, underWay).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  const pathOf = (key: string) => join(folder, nameOf(key));
  return {
    async put(key, body) {
      await prepare();
      const path = pathOf(key);
      // The name by which the next start removes the files of writes that a kill has interrupted.
      const part = `${path}.${randomBytes(6).toString('hex')}.tmp`;
      const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
      try {
        await pipeline(body, file);
        await rename(part, path);
      } catch (error) {
        // An open that is still under way would make the file again.
        if (!file.closed) await new Promise<void>((resolve) => file.once('close', resolve));
        await rm(part, { force: true });
        throw error;
      }
    },

    async get(key) {
      const path = pathOf(key);
      const file = await stat(path).catch(unlessMissing);
      return file && { body: contentOf(path), bytes: file.size };
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

async function prepareFolder(folder: string, underWay: () => Promise<readonly string[]>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const kept = new Set((await underWay()).map(nameOf));
  for (const name of await readdir(folder)) {
    if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** A digest, because keys have any length and case, and a name may not. */
function nameOf(key: string): string {
  return `${createHash('sha256').update(key).digest('hex')}.tar.gz`;
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
