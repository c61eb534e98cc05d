import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalService, startLocal } from '../../lib/local/start.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
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

  beforeAll(start);
  afterAll(async () => {
    await service?.close();
    rmSync(dataDir, { recursive: true, force: true });
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
