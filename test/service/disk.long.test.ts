import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTables } from '../../functions/adapters/stores/sqlite/tables.ts';
import { cli } from '../support/cli.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type Started, startEngineForTest } from '../support/service/started.ts';

const MB = 1_000_000;

describe('the disk of the service', () => {
  let started: Started;
  let tree: GitFolder;
  const disk = (args = '', dataDir = started.dataDir) => cli(`disk ${args}`, { env: { DATA_DIR: dataDir } });
  const use = async () => JSON.parse((await disk('--json')).out);
  /** What it uses once nothing that follows a deploy changes it any more. */
  const settled = async () => {
    for (let before = await use(); ; ) {
      const now = await use();
      if (isDeepStrictEqual(now.kinds, before.kinds)) return now.kinds;
      before = now;
    }
  };
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

  it('is shown by kind, with the limit of caches', async () => {
    const { code, out } = await disk();
    expect([code, out.split('\n').map((line) => line.split(' ')[0])]).toEqual([
      0,
      ['database', 'repositories', 'sources', 'releases', 'caches', 'logs', 'data', 'other', 'total', ''],
    ]);
    expect(out).toMatch(/^caches +[\d.]+ [kM]B +at most 5 GB$/m);
    const { kinds, total } = await use();
    const sum = Object.values<number>(kinds).reduce((all, bytes) => all + bytes, 0);
    expect([kinds.repositories > 0, kinds.releases > 0, sum]).toEqual([true, true, total]);
  });

  it('has a fetched Node among the releases that run on it, else among the caches', async () => {
    const tool = join(started.dataDir, 'platform/tools/node-99.0.0');
    mkdirSync(tool, { recursive: true });
    writeFileSync(join(tool, 'node'), Buffer.alloc(5 * MB, 'x'));
    const unused = await settled();
    const runWith = async (tools: string) => {
      const { write, run, close } = openTables(join(started.dataDir, 'service.db'));
      await write(() => run("UPDATE snapshots SET doc = json_set(doc, '$.tools', json(?))", tools));
      await close();
    };
    await runWith('["node-99.0.0"]');
    const used = await settled();
    await runWith('[]');
    rmSync(tool, { recursive: true });
    expect([unused.caches - used.caches, used.releases - unused.releases, used.other - unused.other]).toEqual([
      expect.closeTo(5 * MB, -5),
      expect.closeTo(5 * MB, -5),
      expect.closeTo(0, -5),
    ]);
  });

  it('is freed of caches and old releases while everything runs; what is live stays, and all can be rolled back to', async () => {
    const caches = join(started.dataDir, 'platform/user-caches/demo/npm');
    mkdirSync(caches, { recursive: true });
    writeFileSync(join(caches, 'content'), Buffer.alloc(5 * MB, 'x'));
    expect((await use()).kinds.caches).toBeGreaterThan(5 * MB);
    expect(releases()).toHaveLength(3);

    const { code, err } = await disk('--free');

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

    const { code, err } = await disk('--free');
    expect([code, err]).toEqual([1, expect.stringContaining('An application is being built')]);

    await started.service.close();
    await pushed;
    expect((await disk('--free')).code).toBe(0);
    expect((await disk('', join(started.dataDir, 'nothing'))).err).toContain('There is no data in');
  });
});
