import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileTarballs } from '../../../../../functions/adapters/stores/file-tarballs.ts';
import { tarballStoreContract } from '../../../../contracts/tarball-store.ts';

const newFolder = () => join(mkdtempSync(join(tmpdir(), 'tarballs-')), 'tarballs');

tarballStoreContract('A folder', async () => {
  const folder = newFolder();
  return {
    store: fileTarballs(folder),
    expectEmpty: async () => expect(readdirSync(folder)).toEqual([]),
    close: async () => {},
  };
});

describe('the tarball store in a folder', () => {
  async function* bytes(text: string) {
    yield Buffer.from(text);
  }

  it('has nothing before it is used, and can be read by its owner only', async () => {
    const folder = newFolder();
    const store = fileTarballs(folder);
    expect(await store.get('k')).toBeNull();
    await store.remove('k');
    expect(existsSync(folder)).toBe(false);
    await store.put('k', bytes('a'));
    const [name = ''] = readdirSync(folder);
    expect([statSync(folder), statSync(join(folder, name))].map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it('leaves a reader the tarball that it has begun to read, when it is replaced or removed', async () => {
    const store = fileTarballs(newFolder());
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

  it('removes what a killed process left, and what nobody has removed for two days', async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    for (const name of ['k.tar.gz.1.part', 'old.tar.gz', 'new.tar.gz']) writeFileSync(join(folder, name), 'x');
    const before = Date.now() / 1000 - 3 * 24 * 60 * 60;
    utimesSync(join(folder, 'old.tar.gz'), before, before);
    const store = fileTarballs(folder);
    await store.put('k', bytes('a'));
    await store.remove('k');
    expect(readdirSync(folder)).toEqual(['new.tar.gz']);
  });

  it('can be used when its folder could not be made before', async () => {
    const folder = newFolder();
    writeFileSync(folder, 'in the way');
    const store = fileTarballs(folder);
    await expect(store.put('k', bytes('a'))).rejects.toThrow();
    rmSync(folder);
    await store.put('k', bytes('a'));
    expect((await store.get('k'))?.bytes).toBe(1);
  });
});
