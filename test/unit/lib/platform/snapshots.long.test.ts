import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  appFiles,
  build,
  buildLogOf,
  deploy,
  ended,
  hello,
  isAlive,
  type PlatformUnderTest,
  platform,
  refusalOf,
  serverFile,
  sharedPlatform,
  snapshotOf,
  start,
  tarball,
  until,
  upload,
} from '../../../support/platform/harness.ts';

const first = { ...hello, snapshot: '1' };

const shared = sharedPlatform();

async function withApp(starting: Promise<PlatformUnderTest> = shared()) {
  const at = await starting;
  await at.hosting.ensureApp(hello, {});
  return { ...at, folder: join(at.dataDir, 'apps', 'ada', 'hello') };
}

const filesIn = (folder: string) => readdir(folder).catch(() => []);

describe('uploading a snapshot', () => {
  it('an upload whose source fails stores nothing', async () => {
    const at = await withApp();
    async function* body() {
      yield Buffer.from('first bytes');
      await until('it is being written', async () => (await filesIn(join(at.folder, 'snapshots'))).length === 1);
      throw new Error('The file is gone.');
    }
    const upload = { body: body(), bytes: 1000, sha256: '0'.repeat(64) };

    const uploaded = at.hosting.upload({ user: 'ada', app: 'hello', snapshot: '1' }, upload);

    await expect(uploaded).rejects.toMatchObject({ code: 'deploy:platform:upload_tarball', retry: true });
    expect(await filesIn(join(at.folder, 'snapshots'))).toEqual([]);
    expect(await at.snapshots.find(hello, '1')).toBeUndefined();
  });

  it('an upload has a limit', async () => {
    const at = await withApp(platform({ limits: { tarballBytes: 10 } }));
    expect(await upload(at, 'hello', '1', Buffer.alloc(0))).toBe('stored');
    expect(await refusalOf(upload(at, 'hello', '2', Buffer.alloc(11)))).toMatchObject({ status: 413 });
  });
});

describe('activating a snapshot', () => {
  it.each([
    ['that is not a gzip archive', async () => Buffer.from('not a tarball')],
    ['that is cut off', async () => (await tarball(appFiles('hello', 'x'.repeat(5_000)))).subarray(0, 150)],
    ['without a package.json', async () => tarball({ 'readme.md': 'x' })],
    ['with a broken package.json', async () => tarball({ 'package.json': '{' })],
  ])('activation of a tarball %s fails with a sentence and leaves no release', async (_what, bytes) => {
    const at = await withApp();
    await upload(at, 'hello', '1', await bytes());

    await at.hosting.activate(first);
    const built = await ended(at, 'hello', '1');

    expect(built).toMatchObject({ state: 'failed', reason: expect.stringMatching(/\.$/) });
    const release = join(at.folder, 'releases', '1');
    expect(existsSync(release)).toBe(false);
    expect(await refusalOf(start(at, 'hello', '1'))).toMatchObject({ status: 409 });
  });

  it('activation stops when the archive unpacks to more than the limit', async () => {
    const at = await withApp(platform({ limits: { unpackedBytes: 10_000 } }));
    const built = await build(at, 'hello', '1', { ...appFiles('hello', 'x'), 'big.txt': 'x'.repeat(50_000) });
    expect(built).toMatchObject({ state: 'failed', reason: expect.stringContaining('10000 bytes') });
  });

  it('activation keeps the running release and the two before it', async () => {
    const at = await withApp();
    for (const id of ['1', '2', '3', '4', '5']) await deploy(at, 'hello', id, appFiles('hello', serverFile(id)));

    await until('old releases are gone', async () => (await filesIn(join(at.folder, 'releases'))).length === 3);

    expect((await filesIn(join(at.folder, 'releases'))).sort()).toEqual(['3', '4', '5']);
    // Its tarball is kept, so it can be activated again.
    expect(await refusalOf(start(at, 'hello', '1'))).toMatchObject({ status: 409 });
    const back = await start(at, 'hello', '3');
    expect(await (await fetch(back.url)).text()).toBe('3');
  });
});

describe('cancelling a build', () => {
  it('no build begins while the application is removed, and nothing of it is left', async () => {
    const at = await withApp();
    const mark = (name: string) => join(at.dataDir, name);
    const waits = `while [ ! -e ${mark('end')} ]; do sleep 0.05; done`;
    const scripts = { build: `trap 'touch ${mark('ending')}' TERM; touch ${mark('begun')}; ${waits}` };
    const bytes = await tarball(appFiles('hello', 'x', { scripts }));
    for (const id of ['1', '2']) await upload(at, 'hello', id, bytes);
    await at.hosting.activate(first);
    await until('the build runs', () => existsSync(mark('begun')));
    const removed = at.operations.remove(hello);
    await until('the build is asked to end', () => existsSync(mark('ending')));

    const activated = refusalOf(at.hosting.activate({ ...first, snapshot: '2' }));
    await writeFile(mark('end'), '');

    await removed;
    expect((await activated).status).toBe(404);
    expect(existsSync(at.folder)).toBe(false);
  });

  it('a cancel ends all processes of the build, and the snapshot is failed for good', async () => {
    const at = await withApp();
    const pids = join(at.dataDir, 'pids');
    const scripts = { build: `sh -c 'echo $$ >> ${pids}; setsid sleep 90 & echo $! >> ${pids}; sleep 91'` };
    const bytes = await tarball(appFiles('hello', 'x', { scripts }));
    await upload(at, 'hello', '1', bytes);
    await at.hosting.activate(first);
    const started = async () => (await readFile(pids, 'utf8').catch(() => '')).trim().split('\n').map(Number);
    await until('the build runs', async () => (await started()).length === 2);

    await at.hosting.cancel(first);

    const cancelled = await snapshotOf(at, 'hello', '1');
    expect(cancelled).toMatchObject({ state: 'failed', reason: 'The build was cancelled.' });
    expect(await Promise.all((await started()).map(isAlive))).toEqual([false, false]);
    await at.hosting.activate(first);
    expect(await snapshotOf(at, 'hello', '1')).toEqual(cancelled);
    expect((await buildLogOf(at))?.at(-1)?.line).toBe('The build was cancelled.');
  });
});
