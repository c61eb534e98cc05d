import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTables } from '../../../../functions/adapters/stores/sqlite/tables.ts';
import { freeReleases } from '../../../../lib/platform/store/caches.ts';
import { folders } from '../../../../lib/platform/store/folders.ts';
import { prunable, prune, type Snapshot } from '../../../../lib/platform/store/snapshots.ts';
import { storedIn } from '../../../../lib/platform/store/stored.ts';
import {
  appFiles,
  build,
  deploy,
  ended,
  hello,
  platform,
  refusalOf,
  serverFile,
  snapshotOf,
  start,
  temporaryFolder,
  until,
} from '../../../support/platform/harness.ts';
import { runningIn } from '../../../support/service/processes.ts';

const now = Date.parse('2026-01-02T00:00:00Z');

function snapshot(id: string, state: Snapshot['state'], fields: Partial<Snapshot> = {}): Snapshot {
  const uploaded_at = new Date(now - 60_000).toISOString();
  const built_at = state === 'ready' ? uploaded_at : null;
  const none = { reason: null, log: [], dependencies: null, path: '', node: null, tools: [], warnings: [] };
  const unbuilt = { deploy: null, entry: null, note: null, released: false, settings: {}, clean: false };
  return { id, sha256: '', size: 1, uploaded_at, state, built_at, ...none, ...unbuilt, ...fields };
}

function pruned(
  list: readonly Snapshot[],
  active: string | null,
  kept = { snapshots: 3, releases: 2 },
  awaited: readonly string[] = [],
) {
  const { snapshots, releases } = prunable(list, active, { kept, isAwaited: ({ id }) => awaited.includes(id) });
  return [snapshots.map(({ id }) => id).sort(), releases.map(({ id }) => id).sort()];
}

describe('what is kept of earlier deploys', () => {
  const ready = (...ids: readonly string[]) => ids.map((id) => snapshot(id, 'ready'));
  const five = ready('5', '4', '3', '2', '1');
  const never = ['9', '8', '7', '6', '5', '4'].map((id) => snapshot(id, 'ready', { was_live: false }));
  const without = ['2', '1'].map((id) => snapshot(id, 'pending', { built_at: '2026-01-01T00:00:00Z' }));
  const one = { snapshots: 1, releases: 1 };
  const few = { snapshots: 3, releases: 2 };

  it.each<[string, readonly Snapshot[], string | null, typeof few, readonly [string, string]]>([
    ['are the latest tarballs, and fewer releases', five, '5', few, ['1 2', '3']],
    ['is everything that was live and is newer, as after a rollback', five, '2', one, ['1', '']],
    [
      'is no release that was never live, and of its tarballs the latest, beside those that were',
      [...never, snapshot('3', 'failed'), ...ready('2', '1')],
      '2',
      few,
      ['3 4 5 6', '7 8 9'],
    ],
    ['is no release of an application that was never live', never.slice(0, 1), null, few, ['', '9']],
    ['counts a tarball without a release', [...ready('3'), ...without], '3', { snapshots: 2, releases: 1 }, ['1', '']],
    ['is all when the active snapshot is unknown', ready('1'), '9', few, ['', '']],
  ])('%s', (_title, list, active, kept, removed) => {
    expect(pruned(list, active, kept).map((ids) => ids.join(' '))).toEqual(removed);
  });

  it('is what an unfinished deploy or rollback is about to start, and what is being built', () => {
    expect(pruned(five, '5', one, ['2'])).toEqual([['1', '3', '4'], []]);
    expect(pruned(five, '5', { snapshots: 9, releases: 1 }, ['2'])).toEqual([[], ['1', '3', '4']]);
    const states = ['ready', 'building', 'failed', 'pending'] as const;
    const begun = states.map((state) => snapshot(state, state, { was_live: false }));
    const none = { snapshots: 0, releases: 0 };
    expect(pruned(begun, null, none, ['ready', 'failed', 'pending'])).toEqual([[], []]);
    expect(pruned(begun, null, none)).toEqual([['failed', 'pending', 'ready'], []]);
  });

  it('is the one that is active by then, when a rollback was faster than the end of the release before', async () => {
    const removed: string[] = [];
    const list = async () => ['2', '1'].map((id) => snapshot(id, 'ready'));
    const remove = async (_: unknown, id: string) => void removed.push(id);
    const active = { find: async () => ({ active: '1' }) };
    const limits = { snapshots: 1, releases: 1 };
    const parts = { snapshots: { list, remove }, apps: active, limits, folders: folders(await temporaryFolder()) };
    await prune(parts as never, { user: 'ada', app: 'hello' });
    expect(removed).toEqual([]);
  });
});

describe('a tarball without its release', () => {
  it('is built again, without its release command, and can be started', async () => {
    const at = await platform({ limits: { releases: 1, snapshots: 2 } });
    const files = (text: string) => ({
      ...appFiles('hello', serverFile(text)),
      Procfile: 'release: echo once >> "$DATA_DIR/releases.txt"; cat "$DATA_DIR/releases.txt"',
    });
    await deploy(at, 'hello', '1', files('one'));
    await deploy(at, 'hello', '2', files('two'));
    const releases = join(at.dataDir, 'apps/ada/hello/releases');
    await until('the first release is gone', async () => (await readdir(releases)).join() === '2');

    expect(await refusalOf(start(at, 'hello', '1'))).toMatchObject({ status: 409 });
    await at.hosting.activate({ ...hello, snapshot: '1' });
    expect(await ended(at, 'hello', '1')).toMatchObject({ state: 'ready', log: [] });
    const back = await start(at, 'hello', '1');
    expect(await (await fetch(back.url)).text()).toBe('one');
  });

  it('of which a rollback has begun is not removed by another deploy before it is started', async () => {
    const at = await platform({ limits: { releases: 1, snapshots: 2 } });
    for (const id of ['1', '2']) await deploy(at, 'hello', id, appFiles('hello', serverFile(id)));
    const releases = join(at.dataDir, 'apps/ada/hello/releases');
    const kept = async () => (await readdir(releases)).sort().join();
    await until('the first release is gone', async () => (await kept()) === '2');
    const log = openTables(join(at.dataDir, 'service.db'));
    const status = (value: string) =>
      log.note(() => {
        const sql = `INSERT INTO entries (id, user, number, seq, status, stage, doc) VALUES (3, 'ada', 3, 1, ?, 'start', '{}')
          ON CONFLICT DO UPDATE SET status = excluded.status`;
        log.run(sql, value);
      });
    await status('running');
    await at.hosting.activate({ ...hello, snapshot: '1' }, { deploy: 3, entry: 3 });
    await ended(at, 'hello', '1');

    await deploy(at, 'hello', '4', appFiles('hello', serverFile('4')));
    await until('the second release is gone', async () => !(await kept()).includes('2'));
    const back = await start(at, 'hello', '1');
    expect(await (await fetch(back.url)).text()).toBe('1');
    await status('ok');
    await log.close();
    await deploy(at, 'hello', '5', appFiles('hello', serverFile('5')));
    await until('the rollback is over', async () => (await kept()) === '5');
  });

  it('is removed after the start that has replaced it was answered', async () => {
    const at = await platform({ limits: { releases: 2 } });
    const { PATH } = process.env;
    const slow = await temporaryFolder();
    const releases = join(at.dataDir, 'apps/ada/hello/releases');
    for (const id of ['1', '2']) await deploy(at, 'hello', id, appFiles('hello', serverFile(id)));
    await until('the first has ended', () => runningIn(join(releases, '1')).length === 0);
    await writeFile(join(slow, 'rm'), `#!/bin/sh\nsleep 2\nPATH=${PATH} exec rm "$@"\n`, { mode: 0o755 });
    process.env.PATH = `${slow}:${PATH}`;
    await deploy(at, 'hello', '3', appFiles('hello', serverFile('3')));
    process.env.PATH = PATH;
    expect(existsSync(join(releases, '1'))).toBe(true);
    await until('it is gone', () => !existsSync(join(releases, '1')));
  });

  it.each(['cron', 'run'])('is not made while what %s has started from it runs, nor by hand', async (kind) => {
    const at = await platform({ limits: { releases: 1, snapshots: 1, unreadMs: 600_000 } });
    const data = join(at.dataDir, 'apps/ada/hello/data');
    const job = `const { existsSync, writeFileSync } = require('node:fs');
      const { DATA_DIR } = process.env;
      writeFileSync(DATA_DIR + '/began', '');
      setInterval(() => existsSync(DATA_DIR + '/go') && (writeFileSync(DATA_DIR + '/said', require('./late.js')), process.exit()), 20);`;
    const files = {
      ...appFiles('hello', serverFile('1')),
      'job.js': job,
      'late.js': "module.exports = 'as it began';",
    };
    const cron = JSON.stringify({ cron: [{ command: 'node job.js', schedule: '* * * * * *' }] });
    await deploy(at, 'hello', '1', { ...files, ...(kind === 'cron' && { 'app.json': cron }) });
    if (kind === 'run') await at.runs.start(hello, { command: ['node', 'job.js'] });
    await until('it runs', () => existsSync(join(data, 'began')));

    for (const id of ['2', '3']) await deploy(at, 'hello', id, appFiles('hello', serverFile(id)));
    const releases = async () => (await readdir(join(at.dataDir, 'apps/ada/hello/releases'))).sort().join();
    await until('the release between is gone', async () => (await releases()) === '1,3');
    const beside = openTables(join(at.dataDir, 'service.db'));
    await freeReleases(storedIn(at.dataDir, beside));
    await beside.close();
    expect(await releases()).toBe('1,3');

    await writeFile(join(data, 'go'), '');
    await until('it has ended', () => existsSync(join(data, 'said')));
    expect(await readFile(join(data, 'said'), 'utf8')).toBe('as it began');
    await deploy(at, 'hello', '4', appFiles('hello', serverFile('4')));
    await until('its release is gone', async () => (await releases()) === '4');
  });

  it('is removed with its application, while the release before the last one still ends', async () => {
    const at = await platform();
    const slow = `process.on('SIGTERM', () => setTimeout(process.exit, 500));${serverFile('one')}`;
    await deploy(at, 'hello', '1', appFiles('hello', slow));
    await deploy(at, 'hello', '2', appFiles('hello', serverFile('two')));
    await at.operations.remove(hello);
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('anew')));
  });

  it('of a newer deploy does not remove an older one that is on its way', async () => {
    const at = await platform({ limits: { releases: 1, snapshots: 1 } });
    await build(at, 'hello', '1', appFiles('hello', 'syntax error (', { scripts: { build: 'exit 1' } }));
    await deploy(at, 'hello', '2', appFiles('hello', serverFile('two')));
    await deploy(at, 'hello', '3', appFiles('hello', serverFile('three')));
    const folder = join(at.dataDir, 'apps/ada/hello/snapshots');
    const ofSecond = async () => (await readdir(folder)).filter((name) => name.startsWith('2.'));
    await until('the second is removed', async () => (await ofSecond()).length === 0);
    expect((await snapshotOf(at, 'hello', '1')).state).toBe('failed');
  });
});
