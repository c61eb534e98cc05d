import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appFiles, build, platform, serverFile } from '../../../support/platform/harness.ts';

describe('the folder of the platform', () => {
  it('what a killed platform left is removed at the next start, and nothing else', async () => {
    const first = await platform();
    await build(first, 'hello', '1', appFiles('hello', serverFile('hi')));
    await first.close();
    const app = join(first.dataDir, 'apps', 'ada', 'hello');
    const listed = async () => (await readdir(first.dataDir, { recursive: true })).sort();
    // A write that has just ended may still have its temporary file in the list.
    const before = (await listed()).filter((path) => !/\.(?:tmp|part)$/.test(path));
    await mkdir(join(app, 'releases', '2', 'lib'), { recursive: true });
    const removed = join(first.dataDir, '00000000-0000-4000-8000-000000000000.tmp');
    await mkdir(removed);
    await mkdir(join(first.dataDir, 'apps', 'ada', 'begun'));
    const left = [
      join(removed, 'app.json'),
      join(first.dataDir, 'groups.json.0123456789ab.tmp'),
      join(app, 'app.json.0123456789ab.tmp'),
      join(first.dataDir, 'apps', 'ada', 'begun', 'app.json.0123456789ab.tmp'),
      join(app, 'snapshots', '2.tgz.0123456789ab.part'),
      join(app, 'snapshots', '3.json.0123456789ab.tmp'),
      join(app, 'snapshots', '4.tgz'),
      join(app, 'releases', '2', 'lib', 'a.js'),
    ];
    for (const file of left) await writeFile(file, 'left');

    const again = await platform({ dataDir: first.dataDir });
    await again.close();

    await expect.poll(listed).toEqual(before);
  });

  it('caches that all users shared are removed; those of a user stay and are used', async () => {
    const first = await platform();
    for (const folder of ['npm-cache', 'caches/yarn', 'user-caches/ada/npm']) {
      await mkdir(join(first.dataDir, folder), { recursive: true });
    }
    await first.close();
    const { dataDir, url } = await platform({ dataDir: first.dataDir });
    const scripts = { build: `node -e "require('fs').writeFileSync('cache.txt', process.env.npm_config_cache)"` };
    await build({ url }, 'hello', '1', appFiles('hello', serverFile('hi'), { scripts }));
    const cache = await readFile(join(dataDir, 'apps/ada/hello/releases/1/cache.txt'), 'utf8');
    expect(cache).toBe(join(dataDir, 'user-caches', 'ada', 'npm'));
    await expect
      .poll(async () => (await readdir(dataDir)).filter((name) => name.includes('cache')))
      .toEqual(['user-caches']);
  });

  it('logs and releases can be read by the owner only', async () => {
    const { dataDir } = await platform();
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });
});
