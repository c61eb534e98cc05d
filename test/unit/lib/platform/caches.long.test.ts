import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskUsage } from '../../../../lib/files/disk-usage.ts';
import { cachesIn } from '../../../../lib/platform/store/caches.ts';
import { storedIn } from '../../../../lib/platform/store/stored.ts';
import {
  afterwards,
  appFiles,
  deploy,
  platform,
  serverFile,
  temporaryFolder,
  until,
} from '../../../support/platform/harness.ts';
import { openedTables } from '../../../support/platform/tables.ts';

const MB = 1_000_000;

/** Makes a cache of that size. */
async function cache(dataDir: string, path: string, megabytes: number): Promise<string> {
  const folder = join(dataDir, path);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'content'), Buffer.alloc(megabytes * MB, 'x'));
  return folder;
}

describe('caches', () => {
  it('above their limit lose the largest ones after a build, and an application is not touched', async () => {
    const at = await platform({ limits: { cacheBytes: 2 * MB, cacheCheckMs: 20 } });
    const large = await cache(at.dataDir, 'user-caches/ada/npm', 4);
    const small = await cache(at.dataDir, 'user-caches/ada/yarn', 1);
    const tool = await cache(at.dataDir, 'tools/pnpm@9.0.0', 3);

    const app = await deploy(at, 'hello', '1', appFiles('hello', serverFile('up')));

    await until('the large ones are gone', () => !existsSync(large) && !existsSync(tool));
    expect(existsSync(small)).toBe(true);
    expect(await (await fetch(app.url)).text()).toBe('up');
  });

  it('have a size with any name that a build gives them', async () => {
    const folder = await temporaryFolder();
    const names = [`npm\n4\t${folder}/yarn`, 'yarn'];
    const paths = await Promise.all(names.map((name) => cache(folder, name, 1)));

    const sizes = await diskUsage(paths);

    for (const path of paths) expect(sizes.get(path)).toBeGreaterThanOrEqual(MB);
  });

  it('are not programs that a release runs with, nor what its build has put into XDG_CACHE_HOME, nor packages that it loads from them', async () => {
    const app = { user: 'ada', app: 'hello' };
    const { tables, close } = openedTables();
    afterwards(close);
    const stored = storedIn(await temporaryFolder(), tables);
    const { folders: at } = stored;
    await stored.apps.put(app, { name: 'hello' });
    const none = { reason: null, log: [], dependencies: null, path: '', node: null, warnings: [], built_at: null };
    const state = {
      state: 'ready' as const,
      deploy: null,
      entry: null,
      was_live: true,
      note: null,
      released: false,
      settings: {},
      clean: false,
      tools: ['pnpm@10.0.0'],
    };
    await stored.snapshots.write(app, { ...none, ...state, id: '1', sha256: '', size: 1, uploaded_at: '' });
    for (const path of [
      'tools/pnpm@9.0.0',
      'tools/pnpm@10.0.0',
      'user-caches/ada/npm',
      'user-caches/ada/cache',
      'user-caches/bob/cache',
      'user-caches/ada/yarn-berry',
    ])
      await cache(at.root, path, 0);
    const named = async () => (await cachesIn(stored)).map((path) => path.slice(at.root.length + 1));
    const own = ['apps/ada/hello/build-caches', 'apps/ada/hello/spares'];
    const [npm, berry, unused] = ['user-caches/ada/npm', 'user-caches/ada/yarn-berry', 'tools/pnpm@9.0.0'];
    const ofNobody = 'user-caches/bob/cache';
    expect(await named()).toEqual([...own, npm, berry, ofNobody, unused]);
  });
});
