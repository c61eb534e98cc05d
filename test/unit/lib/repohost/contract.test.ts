import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { github } from '../../../../functions/adapters/hosts/github/github.ts';
import { openHost } from '../../../../functions/adapters/hosts/open-hosts.ts';
import { startRepoHost } from '../../../../lib/repohost/repohost.ts';
import { type RepositoryHostFixture, repositoryHostContract } from '../../../contracts/repository-host.ts';
import { git, temporaryFolder } from '../../../support/repohost-fixture.ts';

for (const within of [false, true]) {
  const how = within ? 'within the process' : 'over HTTP';
  repositoryHostContract(`GitHub, as the embedded repository host speaks it ${how}`, () => fixture(within));
}

async function fixture(within: boolean): Promise<RepositoryHostFixture> {
  const folder = temporaryFolder();
  const local = await startRepoHost({
    dataDir: folder.path,
    port: 0,
    webhook: { url: 'http://127.0.0.1:9/1/deploy', user: 'me', secret: 'unused' },
  });
  const host = openHost(github, {
    name: 'local',
    api: local.api,
    web: local.url,
    userAgent: 'deployment-webhooks-test',
    ...(within && { httpClient: local.request }),
  });
  return {
    host,
    async commit({ owner, name, files, message = 'suite', parent, private: hidden = false }) {
      await local.createRepository(owner, name, { private: hidden });
      const repository = local.repositoryPath(owner, name);
      const index = { GIT_INDEX_FILE: join(folder.path, 'index') };
      const inIndex = (...args: string[]) => git(['--git-dir', repository, ...args], index);
      await inIndex('read-tree', '--empty');
      for (const [path, content] of Object.entries(files)) {
        const id = await blob(repository, folder.path, content);
        await inIndex('update-index', '--add', '--cacheinfo', `100644,${id},${path}`);
      }
      const tree = (await inIndex('write-tree')).stdout.trim();
      const parents = parent ? ['-p', parent.sha] : [];
      const sha = (await inIndex('commit-tree', tree, ...parents, '-m', message)).stdout.trim();
      return { host: 'local', owner, name, sha };
    },
    async branch({ owner, name, sha }, branch) {
      await git(['--git-dir', local.repositoryPath(owner, name), 'update-ref', `refs/heads/${branch}`, sha]);
    },
    addToken: async (login, secret) => void local.createToken({ login, secret }),
    async statuses({ owner, name, sha }) {
      const newestFirst = await local.statuses(owner, name, sha);
      return newestFirst.toReversed().map(({ state, target_url, description, context }) => {
        return { state, targetUrl: target_url ?? '', description: description ?? '', context };
      });
    },
    async close() {
      await local.close();
      folder.remove();
    },
  };
}

async function blob(repository: string, scratch: string, content: string): Promise<string> {
  const file = join(scratch, 'blob');
  await writeFile(file, content);
  return (await git(['--git-dir', repository, 'hash-object', '-w', file])).stdout.trim();
}

it.each([true, false])('has no deployments of previews, which is no error (within the process: %s)', async (within) => {
  const { host, addToken, commit, close } = await fixture(within);
  await addToken('me', 'a-token-0123456789');
  const repository = await commit({ owner: 'me', name: 'hello', files: {} });
  const deployment = { user: 'me', entry: '0', environment: 'hello-pr-7', state: 'success', description: '' } as const;
  const report = { ...deployment, sha: repository.sha, logUrl: 'http://127.0.0.1/', url: null };
  await expect(host.setDeployment(repository, report, 'a-token-0123456789')).resolves.toBeUndefined();
  await close();
});

it('has no pull requests, so none is taken for closed', async () => {
  const { host, addToken, commit, close } = await fixture(true);
  await addToken('me', 'a-token-0123456789');
  const repository = await commit({ owner: 'me', name: 'hello', files: {} });
  await expect(host.pullRequestState(repository, 7, 'a-token-0123456789')).rejects.toThrow('has no pull requests');
  await close();
});

it('within the process, what a command has printed is not lost when it is read after its end', async () => {
  const folder = temporaryFolder();
  const webhook = { url: 'http://127.0.0.1:9/1/deploy', user: 'me', secret: 'unused' };
  const local = await startRepoHost({ dataDir: folder.path, port: 0, webhook });
  await local.createRepository('me', 'hello');
  const repository = local.repositoryPath('me', 'hello');
  const id = await blob(repository, folder.path, 'content');
  await git(['--git-dir', repository, 'update-index', '--add', '--cacheinfo', `100644,${id},file`]);
  const tree = (await git(['--git-dir', repository, 'write-tree'])).stdout.trim();
  const sha = (await git(['--git-dir', repository, 'commit-tree', tree, '-m', 'x'])).stdout.trim();
  const url = new URL(`${local.api}/repos/me/hello/contents/file?ref=${sha}`);
  const { body } = await local.request({ method: 'GET', url, headers: {} });
  await setTimeout(500);
  expect(await text(body)).toBe('content');
  await local.close();
  folder.remove();
});
