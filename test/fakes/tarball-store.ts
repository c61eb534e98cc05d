import { buffer } from 'node:stream/consumers';
import type { TarballStore } from '../../functions/core/ports/stages.ts';

/** Returns an in-memory fake of the tarball store; `keys` lists what it holds. */
export function memoryTarballs(): TarballStore & { keys(): readonly string[] } {
  const tarballs = new Map<string, Buffer>();
  return {
    keys: () => [...tarballs.keys()],

    async put(key, body) {
      tarballs.set(key, await buffer(body));
    },

    async get(key) {
      const tarball = tarballs.get(key);
      return tarball === undefined ? null : { body: inChunks(tarball), bytes: tarball.length };
    },

    async remove(key) {
      tarballs.delete(key);
    },
  };
}

const CHUNK_BYTES = 64 * 1024;

async function* inChunks(bytes: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
