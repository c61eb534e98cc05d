import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type LocalService, startLocal } from '../../lib/local/start.ts';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { project, testPage } from '../support/service/place.ts';
import { clientOf, dataFolderFor } from '../support/service/started.ts';

describe('Pushes that the service has not recorded', () => {
  const dataDir = dataFolderFor('pushes-kept');
  const at = join(dataDir, 'repositories');
  const path = (name: string) => join(at, 'repositories', 'demo', `${name}.git`);
  let service: LocalService | undefined;

  const start = async () => {
    await service?.close();
    service = await startLocal({ project, dataDir, page: testPage, port: 0, settings: { retryBaseSeconds: 1 } });
    return { ...clientOf(service), service };
  };
  const repository = async (name: string): Promise<GitFolder> => {
    await service?.repoHost.createRepository('demo', name);
    return gitFolder(path(name));
  };
  /** The entries of a repository, newest first. */
  const entriesOf = async (name: string) => {
    if (!service) throw new Error('There is no service.');
    const { body } = await clientOf(service).call('/1/status/demo/webhooks?include_docs=true&limit=100');
    return body.rows.filter(({ commit }: { commit: string }) => commit.startsWith(`demo/${name}/`));
  };
  /** Moves the refs of a repository without its hook, as a push does whose service is killed before it is recorded. */
  const moveRefs = (tree: GitFolder, name: string, refs = 'main:main') =>
    execFileSync('git', [
      '--git-dir',
      path(name),
      'fetch',
      '--quiet',
      '--update-head-ok',
      '--force',
      tree.folder,
      refs,
    ]);

  afterAll(async () => {
    await service?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('of a data folder of version 1.0.0 are deployed at the first start, once', async () => {
    const { until } = await start();
    const [known, fresh] = [await repository('known'), await repository('fresh')];
    known.commit(application('known', 'first'));
    await until(entryAddress(await known.push()), 'ok', 'error');
    await service?.close();
    // What that version has on the disk after pushes while it was off, and a paired token.
    const pushes = [known, fresh].map((tree, index) => {
      const name = ['known', 'fresh'][index] ?? '';
      const before = index === 0 ? tree.git('rev-parse', 'main') : '0'.repeat(40);
      const after = tree.commit(application(name, 'second'));
      moveRefs(tree, name);
      const moved = { owner: 'demo', name, ref: 'refs/heads/main', before, after };
      return { ...moved, id: `0000000${index}`, at: 1_700_000_000_000 };
    });
    execFileSync('git', ['--git-dir', path('fresh'), 'symbolic-ref', 'HEAD', 'refs/heads/main']);
    mkdirSync(join(at, 'deliveries'));
    for (const push of pushes) {
      const file = join(at, 'deliveries', `00${push.at}-${push.id}.json`);
      writeFileSync(file, JSON.stringify({ ...push, pusher: 'demo' }));
    }
    writeFileSync(join(at, 'tokens.json'), '[]');
    writeFileSync(join(at, 'running.json'), '{}');

    await start();
    for (const [index, name] of ['known', 'fresh'].entries()) {
      const [entry] = await entriesOf(name);
      expect(entry).toMatchObject({ provider: 'git', commit: `demo/${name}/${pushes[index]?.after}` });
      const ended = await clientOf(service as LocalService).until(new URL(entry.id).pathname, 'ok', 'error');
      expect(await (await fetch(ended.doc.url)).text()).toBe('second');
    }
    expect((await entriesOf('known')).length).toBe(2);
    expect(readdirSync(join(at, 'earlier-version')).sort()).toEqual(['deliveries', 'running.json', 'tokens.json']);

    await start();
    expect([(await entriesOf('known')).length, (await entriesOf('fresh')).length]).toEqual([2, 1]);
    expect(existsSync(join(at, 'earlier-version'))).toBe(false);
  });

  it('because it was killed before that are deployed at the next start, once, also the first of a repository', async () => {
    const tree = await repository('killed');
    const sha = tree.commit(application('killed', 'missed'));
    await service?.close();
    moveRefs(tree, 'killed', 'main:trunk');
    await start();
    const [entry, ...others] = await entriesOf('killed');
    expect([entry.commit, others]).toEqual([`demo/killed/${sha}`, []]);
    expect(entry.doc).toMatchObject({ branch: 'trunk', message: 'A change', author: 'Ann' });
    await start();
    expect(await entriesOf('killed')).toHaveLength(1);
  });

  it('because their message skips the deploy are skipped at the next start, too', async () => {
    const tree = await repository('skips');
    tree.commit(application('skips', 'x'), 'Not this one [skip deploy]');
    await service?.close();
    moveRefs(tree, 'skips');
    await start();
    expect(await entriesOf('skips')).toMatchObject([{ status: 'skipped' }]);
  });

  it('are noticed while it runs', async () => {
    const tree = await repository('noticed');
    tree.commit(application('noticed', 'x'));
    moveRefs(tree, 'noticed');
    await expect.poll(async () => (await entriesOf('noticed')).length).toBe(1);
  });
});
