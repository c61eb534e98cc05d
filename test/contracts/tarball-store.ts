import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TarballStore } from '../../functions/core/ports/stages.ts';

/** A store under test. */
export interface TarballStoreFixture {
  readonly store: TarballStore;
  /** Throws when anything is left in the store, including the parts of an unfinished upload. Removes what is left. */
  expectEmpty(): Promise<void>;
  close(): Promise<void>;
}

const MiB = 1024 * 1024;
/** Sizes around multiples of a part: empty, less than one, exactly one, exactly two, several and a remainder. */
const SIZES = [0, 1, 5 * MiB - 1, 5 * MiB, 10 * MiB, 20 * MiB + 3];

/** The contract of the port `TarballStore`; every implementation must pass it. */
export function tarballStoreContract(title: string, open: () => Promise<TarballStoreFixture>): void {
  describe(`${title}, as a store of tarballs`, () => {
    let fixture: TarballStoreFixture;
    let store: TarballStore;

    beforeAll(async () => {
      fixture = await open();
      store = fixture.store;
    });
    afterAll(() => fixture?.close());

    it.each(SIZES)('returns the %d bytes that were stored, and their number', async (size) => {
      await store.put('user/1/a.tar.gz', bytesOf(size));
      const stored = await store.get('user/1/a.tar.gz');
      expect(stored?.bytes).toBe(size);
      expect(await digest(stored?.body)).toBe(await digest(bytesOf(size)));
      await store.remove('user/1/a.tar.gz');
    });

    it('returns null for an unknown key', async () => {
      expect(await store.get('nobody/0/none')).toBeNull();
    });

    it('replaces a tarball, and does not decode or normalise its key', async () => {
      await store.put('a%2Fb/1/ü +.tar.gz', bytesOf(10, 1));
      await store.put('a%2Fb/1/ü +.tar.gz', bytesOf(7, 2));
      expect((await store.get('a%2Fb/1/ü +.tar.gz'))?.bytes).toBe(7);
      expect(await store.get('a/b/1/ü +.tar.gz')).toBeNull();
      await store.remove('a%2Fb/1/ü +.tar.gz');
    });

    it('removes a tarball, and accepts a second removal', async () => {
      await store.put('k', bytesOf(3));
      await store.remove('k');
      await store.remove('k');
      expect(await store.get('k')).toBeNull();
    });

    it.each([
      ['before the first byte', 0],
      ['within the first part', 3 * MiB],
      ['in the middle', 21 * MiB],
    ])('stores nothing of a stream that throws %s, and throws its error', async (_when, size) => {
      const error = new Error('refused');
      await expect(store.put('refused', failing(size, error))).rejects.toBe(error);
      expect(await store.get('refused')).toBeNull();
      await fixture.expectEmpty();
    });

    it('keeps the previous tarball when the stream of its replacement throws', async () => {
      await store.put('kept', bytesOf(9 * MiB));
      await expect(store.put('kept', failing(12 * MiB, new Error('refused')))).rejects.toThrow('refused');
      expect((await store.get('kept'))?.bytes).toBe(9 * MiB);
      await store.remove('kept');
    });

    it('stores concurrent streams separately', async () => {
      await Promise.all([1, 2, 3].map((seed) => store.put(`k${seed}`, bytesOf(9 * MiB, seed))));
      for (const seed of [1, 2, 3]) {
        expect(await digest((await store.get(`k${seed}`))?.body)).toBe(await digest(bytesOf(9 * MiB, seed)));
        await store.remove(`k${seed}`);
      }
      await fixture.expectEmpty();
    });
  });
}

async function* bytesOf(size: number, seed = 0): AsyncGenerator<Uint8Array, void, undefined> {
  const chunk = Buffer.alloc(100_000, `seed ${seed} `);
  for (let at = 0; at < size; at += chunk.length) yield chunk.subarray(0, Math.min(chunk.length, size - at));
}

async function* failing(size: number, error: Error): AsyncGenerator<Uint8Array, void, undefined> {
  yield* bytesOf(size);
  throw error;
}

async function digest(body: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of body ?? []) hash.update(chunk);
  return hash.digest('hex');
}
