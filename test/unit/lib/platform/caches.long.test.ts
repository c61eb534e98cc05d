import fs, { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskUsage } from '../../../../lib/files/disk-usage.ts';
import type { PlatformOptions } from '../../../../lib/platform/platform.ts';
import { cachesIn } from '../../../../lib/platform/store/caches.ts';
import { storedIn } from '../../../../lib/platform/store/stored.ts';
import {
  afterwards,
  appFiles,
  build,
  deploy,
  hello,
  platform,
  serverFile,
  temporaryFolder,
  until,
  visit,
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

/** A disk of 20 GB that is nearly full while one of these folders is there. */
function nearlyFullWith(...folders: readonly string[]): void {
  diskWith(() => (folders.some((folder) => existsSync(folder)) ? 100 : 5_000));
}

function diskWith(bavail: () => number): void {
  const { statfs } = fs.promises;
  fs.promises.statfs = (async () => ({ bsize: MB, blocks: 20_000, bavail: bavail() })) as unknown as typeof statfs;
  syncBuiltinESMExports();
  afterwards(async () => {
    fs.promises.statfs = statfs;
    syncBuiltinESMExports();
  });
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

describe('on a nearly full disk', () => {
  const up = (app: string) => appFiles(app, serverFile('up'));
  const withReleases = async (options: Parameters<typeof platform>[0] = {}) => {
    const at = await platform(options);
    for (const id of ['1', '2', '3']) await deploy(at, 'hello', id, up('hello'));
    const releases = join(at.dataDir, 'apps/ada/hello/releases');
    const kept = async () => (await readdir(releases)).sort().join();
    const npm = await cache(at.dataDir, 'user-caches/ada/npm', 2);
    return { at, npm, oldest: join(releases, '1'), kept };
  };

  it('five builds wait until caches and releases before the last two are removed, once, and nothing that runs has lost a file', async () => {
    const said: (string | undefined)[] = [];
    const log: PlatformOptions['log'] = ({ type, detail }) => type === 'platform.disk_freed' && said.push(detail);
    const { at, npm, oldest, kept } = await withReleases({ log });
    const ofReleases = await cache(at.dataDir, 'user-caches/ada/cache', 1);
    nearlyFullWith(npm, oldest);

    const built = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((app) => build(at, app, '1', up(app))));

    expect(built.map(({ state }) => state)).toEqual(Array(5).fill('ready'));
    expect([existsSync(npm), existsSync(ofReleases), await kept()]).toEqual([false, true, '2,3']);
    expect(said).toEqual(['The disk was nearly full: 4900 MB of caches and of old releases were removed.']);
    expect(await visit(at, 'hello.ada.localhost')).toMatchObject({ body: 'up' });
  });

  it('only so much is removed that there is room, also when no build begins because hooks are refused', async () => {
    const { at, npm, kept } = await withReleases({ limits: { cacheCheckMs: 20 } });
    const small = await cache(at.dataDir, 'user-caches/ada/yarn', 1);
    nearlyFullWith(npm);
    await until('the largest is gone', () => !existsSync(npm));
    expect([existsSync(small), await kept()]).toEqual([true, '1,2,3']);
  });

  it('caches stay while something is built, which may use them, and go when it has ended', async () => {
    const { at, npm, oldest } = await withReleases({ limits: { cacheCheckMs: 20 } });
    const go = join(await temporaryFolder(), 'go');
    const scripts = { build: `until [ -e ${go} ]; do sleep 0.05; done` };
    const building = build(at, 'slow', '1', appFiles('slow', serverFile('up'), { scripts }));
    await until('it is built', () => existsSync(join(at.dataDir, 'apps/ada/slow/releases/1/package.json')));
    nearlyFullWith(npm, oldest);
    await until('the oldest release is gone', () => !existsSync(oldest));
    expect(existsSync(npm)).toBe(true);
    await writeFile(go, '');
    expect((await building).state).toBe('ready');
    await until('the cache is gone', () => !existsSync(npm));
  });

  it('builds that meet a full disk after they have begun begin again, once, when something could be removed', async () => {
    const said: (string | undefined)[] = [];
    const at = await platform({ log: ({ type, detail }) => type === 'platform.disk_freed' && said.push(detail) });
    const npm = await cache(at.dataDir, 'user-caches/ada/npm', 2);
    // npm makes its folder again.
    const content = join(npm, 'content');
    diskWith(() => (existsSync(content) ? 9_000 : 10_000));
    const tries = join(await temporaryFolder(), 'tries');
    const built = (app: string, met: string) => {
      const scripts = {
        build: `echo ${app} >> ${tries}; ! ${met} || { echo 'write: No space left on device'; exit 1; }`,
      };
      return build(at, app, '1', appFiles(app, serverFile('up'), { scripts }));
    };
    const both = await Promise.all(['a', 'b'].map((app) => built(app, `[ -e ${content} ]`)));
    expect(both.map(({ state }) => state)).toEqual(['ready', 'ready']);
    expect(both[0]?.log.filter((line) => line.includes('disk was full'))).toHaveLength(1);
    expect(said).toHaveLength(1);
    expect(await built('c', 'true')).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('No space left'),
    });
    expect((await readFile(tries, 'utf8')).split('\n').sort().join('')).toBe('aabbc');
  });

  it('a build that waits for room is cancelled at once, and the releases of its application go all the same', async () => {
    const { at, npm, kept } = await withReleases();
    const { PATH } = process.env;
    const slow = await temporaryFolder();
    await writeFile(join(slow, 'rm'), `#!/bin/sh\nsleep 1\nPATH=${PATH} exec rm "$@"\n`, { mode: 0o755 });
    diskWith(() => 100);
    process.env.PATH = `${slow}:${PATH}`;
    const waiting = build(at, 'hello', '4', up('hello'));
    await until('the cache is being removed', () => !existsSync(npm));
    await at.hosting.cancel({ ...hello, snapshot: '4' });
    process.env.PATH = PATH;
    expect((await waiting).reason).toBe('The build was cancelled.');
    await until('the oldest release is gone', async () => (await kept()) === '2,3');
  });
});
