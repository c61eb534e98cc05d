import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTables } from '../../functions/adapters/stores/sqlite/tables.ts';
import { cli } from '../support/cli.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type Started, startEngineForTest } from '../support/service/started.ts';

const MB = 1_000_000;

describe('the disk of the service', () => {
  let started: Started;
  let tree: GitFolder;
  const disk = (args = '--disk', dataDir = started.dataDir) => cli(`status ${args}`, { env: { DATA_DIR: dataDir } });
  const use = async () => JSON.parse((await disk('--disk --json')).out);
  const releases = () => readdirSync(join(started.dataDir, 'platform/apps/demo/shop/releases'));
  const page = async () => {
    const { body } = await started.call('/1/apps/demo/shop');
    return (await fetch(body.url)).text();
  };
  const push = async (text: string) => {
    tree.commit(application('shop', text));
    expect(await tree.pushAndWatch()).toContain('live after');
  };

  beforeAll(async () => {
    started = await startEngineForTest('disk');
    const { login, repoHost } = started.service;
    tree = gitFolder(repoHost.cloneUrl('demo', 'shop').replace('//', `//demo:${login.password}@`));
    for (const text of ['one', 'two', 'three']) await push(text);
  });
  afterAll(async () => {
    await started?.close();
  });

  it('is shown with the limit of caches', async () => {
    const { code, out } = await disk();
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/ takes [\d.]+ MB, caches .+ of at most 5 GB; .+ are free\.\n$/),
    ]);
  });

  it('is freed of caches and old releases while everything runs; what is live stays, and all can be rolled back to', async () => {
    const caches = join(started.dataDir, 'platform/user-caches/demo/npm');
    mkdirSync(caches, { recursive: true });
    writeFileSync(join(caches, 'content'), Buffer.alloc(5 * MB, 'x'));
    expect((await use()).caches).toBeGreaterThan(5 * MB);
    expect(releases()).toHaveLength(3);

    const { code, err } = await disk('--free-disk');

    expect([code, err]).toEqual([0, expect.stringMatching(/^Freed: [\d.]+ [kM]B\.\n$/)]);
    expect([existsSync(caches), releases().length, await page()]).toEqual([false, 2, 'three']);
    const { rollback } = (await started.call('/1/apps/demo/shop')).body;
    const oldest = rollback.at(-1);
    await started.call(`/1/apps/demo/shop/rollback?to=${oldest.id ?? oldest}`, {
      method: 'POST',
      headers: { prefer: 'wait=25' },
    });
    expect(await page()).toBe('one');
  });

  it('is not freed while an application is built, and is when the service has stopped', async () => {
    const manifest = JSON.stringify({
      name: 'shop',
      version: '1.0.1',
      scripts: { build: 'sleep 600', start: 'node .' },
    });
    tree.commit({ 'package.json': manifest });
    const pushed = tree.pushAndWatch().catch(() => 'cut off');
    const tables = openTables(join(started.dataDir, 'service.db'));
    await expect
      .poll(() => tables.all("SELECT id FROM snapshots WHERE doc ->> '$.state' = 'building'"))
      .toHaveLength(1);
    await tables.close();

    const { code, err } = await disk('--free-disk');
    expect([code, err]).toEqual([1, expect.stringContaining('An application is being built')]);

    await started.service.close();
    await pushed;
    expect((await disk('--free-disk')).code).toBe(0);
    expect((await disk('--disk', join(started.dataDir, 'nothing'))).err).toContain('There is no data in');
  });
});
