import fs, { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileTarballs } from '../../../../../functions/adapters/stores/file-tarballs.ts';
import { removeLeftovers } from '../../../../../lib/files/atomic-file.ts';
import { tarballStoreContract } from '../../../../contracts/tarball-store.ts';
import { newFolder } from '../../../../support/new-folder.ts';

const missingFolder = () => join(newFolder('tarballs'), 'tarballs');

tarballStoreContract('A folder', async () => {
  const folder = missingFolder();
  return {
    store: fileTarballs(folder, async () => []),
    expectEmpty: async () => expect(readdirSync(folder)).toEqual([]),
    close: async () => {},
  };
});

/** As a disk opens files that many others use. */
function slowOpens() {
  const opens: Promise<unknown>[] = [];
  const { open } = fs;
  const spy = vi.spyOn(fs, 'open').mockImplementation(((...call: Parameters<typeof open>) => {
    opens.push(pause(50).then(() => open(...call)));
  }) as typeof open);
  onTestFinished(() => spy.mockRestore());
  return { done: () => Promise.all(opens).then(() => pause(50)) };
}

// biome-ignore lint/correctness/useYield: it fails before its first byte.
async function* failing(): AsyncGenerator<Uint8Array, void, undefined> {
  throw new Error('refused');
}

describe('the tarball store in a folder', () => {
  async function* bytes(text: string) {
    yield Buffer.from(text);
  }

  it('has nothing before it is used, and can be read by its owner only', async () => {
    const folder = missingFolder();
    const store = fileTarballs(folder, async () => []);
    expect(await store.get('k')).toBeNull();
    await store.remove('k');
    expect(existsSync(folder)).toBe(false);
    await store.put('k', bytes('a'));
    const [name = ''] = readdirSync(folder);
    expect([statSync(folder), statSync(join(folder, name))].map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it('leaves a reader the tarball that it has begun to read, when it is replaced or removed', async () => {
    const store = fileTarballs(missingFolder(), async () => []);
    const large = 'x'.repeat(300_000);
    await store.put('k', bytes(large));
    let read = 0;
    for await (const chunk of (await store.get('k'))?.body ?? []) {
      if (read === 0) await store.put('k', bytes('second'));
      read += chunk.length;
    }
    expect(read).toBe(large.length);
    expect((await store.get('k'))?.bytes).toBe(6);
  });

  it('removes at its first use what an earlier process left, except the tarballs of deploys under way', async () => {
    const folder = missingFolder();
    const earlier = fileTarballs(folder, async () => []);
    for (const key of ['ended', 'under way']) await earlier.put(key, bytes(key));
    writeFileSync(join(folder, 'k.tar.gz.1.part'), 'x');
    const store = fileTarballs(folder, async () => ['under way', 'not fetched']);
    await store.put('new', bytes('a'));
    expect(await Promise.all(['ended', 'under way', 'new'].map(async (key) => (await store.get(key))?.bytes))).toEqual([
      undefined,
      9,
      1,
    ]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('leaves nothing of a stream that fails while its file is still being opened', async () => {
    const folder = missingFolder();
    const store = fileTarballs(folder, async () => []);
    const slowly = slowOpens();
    await expect(store.put('k', failing())).rejects.toThrow('refused');
    await slowly.done();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('names a part as the next start expects it, which removes it without a deploy', async () => {
    const folder = missingFolder();
    const store = fileTarballs(folder, async () => []);
    let parts: readonly string[] = [];
    await store.put(
      'k',
      (async function* () {
        yield Buffer.from('a');
        await vi.waitUntil(() => readdirSync(folder).length > 0);
        parts = readdirSync(folder);
      })(),
    );
    expect(parts).toHaveLength(1);
    // As a kill leaves it.
    writeFileSync(join(folder, parts[0] ?? ''), 'half');
    await removeLeftovers(dirname(folder));
    expect(readdirSync(folder)).toHaveLength(1);
    expect((await store.get('k'))?.bytes).toBe(1);
  });

  it('can be used when its folder could not be made before', async () => {
    const folder = missingFolder();
    writeFileSync(folder, 'in the way');
    const store = fileTarballs(folder, async () => []);
    await expect(store.put('k', bytes('a'))).rejects.toThrow();
    rmSync(folder);
    await store.put('k', bytes('a'));
    expect((await store.get('k'))?.bytes).toBe(1);
  });
});
