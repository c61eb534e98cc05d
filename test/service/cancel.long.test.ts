import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../lib/process/process-info.ts';
import { application, entryAddress, type GitFolder } from '../support/service/git-folder.ts';
import { runningIn } from '../support/service/processes.ts';
import { repositories, type Started, startEngineForTest } from '../support/service/started.ts';

const finals = ['ok', 'error', 'skipped', 'superseded', 'cancelled', 'expired', 'duplicate'];

/** An application whose build takes ten minutes. */
function slowly(name: string): Record<string, string> {
  const scripts = { start: 'node server.js', build: 'node build.js' };
  return {
    ...application(name, 'slow'),
    'package.json': JSON.stringify({ name, version: '1.0.0', scripts }),
    'build.js': 'setTimeout(() => {}, 600_000);',
  };
}

describe('a deploy that is ended before it is live', () => {
  let started: Started;
  const repository = repositories(() => started);

  beforeAll(async () => {
    started = await startEngineForTest('ended');
  });
  afterAll(() => started.close());

  const push = async (tree: GitFolder, files: Record<string, string | null>) => {
    tree.commit(files);
    return entryAddress(await tree.push());
  };
  const cancel = (entry: string) => started.call(`${entry}/cancel`, { method: 'POST' });
  const read = async (entry: string) => (await started.call(`${entry}?include_docs=true`)).body;

  /** Pushes an application with a slow build. Returns its entry and, once it runs, the process of the build. */
  async function building(tree: GitFolder, name: string) {
    const entry = await push(tree, slowly(name));
    const releases = join(started.dataDir, 'platform/apps/demo', name, 'releases');
    const pidOf = () => runningIn(releases).find(({ command }) => command === 'node build.js')?.pid ?? 0;
    await expect.poll(pidOf).toBeGreaterThan(0);
    return { entry, pid: pidOf() };
  }

  it('a cancelled deploy ends with its build, and the old version goes on serving', async () => {
    const tree = await repository('served');
    const live = await started.until(await push(tree, application('served', 'the first')), ...finals);
    const { entry, pid } = await building(tree, 'served');
    expect(await cancel(entry)).toMatchObject({
      status: 202,
      body: { status: 'cancelled', reason: 'Cancelled by demo.', app_name: 'served' },
    });
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await (await fetch(live.url)).text()).toBe('the first');
    expect(await cancel(entry)).toMatchObject({
      status: 409,
      body: { code: 'request:conflict', detail: expect.stringContaining('cancelled') },
    });
    expect(await cancel(live.id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('ok') } });
    expect((await read(entry)).doc.stages.at(-1)).toMatchObject({ name: 'extract', status: 'failed' });
    const again = await started.call('/1/apps/demo/served', {});
    expect(again.body).toMatchObject({ state: 'running', active: { id: live.id } });
  });

  it('a fix on top of a push whose build takes minutes supersedes it at once, and does not wait for it', async () => {
    const tree = await repository('fixed');
    const slow = await building(tree, 'fixed');
    tree.commit({ ...application('fixed', 'the fix'), 'build.js': null });
    const printed = await tree.pushAndWatch();
    const [first, fix] = [await read(slow.entry), await read(entryAddress(printed))];
    expect(printed).toMatch(/live after .*http/);
    expect(first).toMatchObject({
      status: 'superseded',
      reason: expect.stringMatching(/^A newer deploy of main has begun: #\d+\.$/),
    });
    const checkedAt = Date.parse(fix.doc.stages[0].finished_at);
    expect(Date.parse(first.doc.finished_at) - checkedAt).toBeLessThan(30_000);
    expect(Date.parse(fix.doc.finished_at) - Date.parse(fix.doc.received_at)).toBeLessThan(300_000);
    expect(await (await fetch(fix.url)).text()).toBe('the fix');
    await expect.poll(() => isAlive(slow.pid)).toBe(false);
  });
});
