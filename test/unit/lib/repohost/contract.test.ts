import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { localHost } from '../../../../lib/repohost/local-host.ts';
import { openRepositories } from '../../../../lib/repohost/repohost.ts';
import { type RepositoryHostFixture, repositoryHostContract } from '../../../contracts/repository-host.ts';
import { git, temporaryFolder } from '../../../support/repohost-fixture.ts';

repositoryHostContract('The repositories of this machine', fixture);

async function fixture(): Promise<RepositoryHostFixture & { readonly pathOf: (name: string) => string }> {
  const folder = temporaryFolder();
  const open = await openRepositories(join(folder.path, 'data'));
  const logins = new Map<string, string>();
  const verify = async (login: string, secret: string) => logins.get(login) === secret;
  const pathOf = (name: string) => open.folders.ofRepository({ owner: 'octo', name });
  return {
    host: localHost(open, { name: 'local', verify }),
    pathOf,
    defaultBranch: 'master',
    namesAreExact: true,
    async commit({ owner, name, files, message = 'suite', parent, private: hidden = false }) {
      await open.repositories.create({ owner, name }, { private: hidden });
      const repository = open.folders.ofRepository({ owner, name });
      const index = { GIT_INDEX_FILE: join(folder.path, 'index') };
      const inIndex = (...args: string[]) => git(['--git-dir', repository, ...args], index);
      await inIndex('read-tree', '--empty');
      for (const [path, content] of Object.entries(files)) {
        const file = join(folder.path, 'blob');
        await writeFile(file, content);
        const id = (await git(['--git-dir', repository, 'hash-object', '-w', file])).stdout.trim();
        await inIndex('update-index', '--add', '--cacheinfo', `100644,${id},${path}`);
      }
      const tree = (await inIndex('write-tree')).stdout.trim();
      const parents = parent ? ['-p', parent.sha] : [];
      const sha = (await inIndex('commit-tree', tree, ...parents, '-m', message)).stdout.trim();
      return { host: 'local', owner, name, sha };
    },
    async branch({ owner, name, sha }, branch) {
      const repository = open.folders.ofRepository({ owner, name });
      await git(['--git-dir', repository, 'update-ref', `refs/heads/${branch}`, sha]);
    },
    addToken: async (login, secret) => void logins.set(login, secret),
    statuses: null,
    close: async () => folder.remove(),
  };
}

const { signal: never } = new AbortController();

describe('The repositories of this machine, as a repository host', () => {
  it('does not take a pull request for closed that it has never had', async () => {
    const { host, commit, close } = await fixture();
    const repository = await commit({ owner: 'octo', name: 'hello', files: {} });
    await expect(host.pullRequestState(repository, 7, 'octo')).rejects.toThrow('has no pull request #7');
    await close();
  });

  it('has a whole tarball also when git has ended before it is read', async () => {
    const { host, commit, close } = await fixture();
    const repository = await commit({ owner: 'octo', name: 'hello', files: { file: 'content' } });
    const tarball = await host.tarball(repository, null, never);
    await setTimeout(500);
    expect(gunzipSync(await buffer(tarball)).toString('latin1')).toContain(`octo-hello-${repository.sha}/file`);
    await close();
  });

  it('has the whole commit in a tarball, whatever its attributes leave out of a release of the sources', async () => {
    const { host, commit, close } = await fixture();
    const attributes = '/config export-ignore\nversion.txt export-subst\n';
    const files = { '.gitattributes': attributes, 'config/a.json': '{}', 'version.txt': '$Format:%H$' };
    const repository = await commit({ owner: 'octo', name: 'hello', files });
    const tarball = gunzipSync(await buffer(await host.tarball(repository, null, never))).toString('latin1');
    expect(tarball).toContain(`octo-hello-${repository.sha}/config/a.json`);
    expect(tarball).toContain('$Format:%H$');
    await close();
  });

  it.each(['a\0b', 'a\nb', './a', 'a/./b'])(
    'finds no file at %j, which leads to none of the repository',
    async (path) => {
      const { host, commit, close } = await fixture();
      const repository = await commit({ owner: 'octo', name: 'hello', files: { a: 'content' } });
      const read = await host.file(repository, path, null, 1000).catch((error: unknown) => error);
      expect(read === null || read).not.toBe('content');
      await close();
    },
  );

  it('says which record of a repository is damaged, without the place of the folder, and to try again', async () => {
    const { host, commit, pathOf, close } = await fixture();
    const repository = await commit({ owner: 'octo', name: 'hello', files: {} });
    await writeFile(join(pathOf('hello'), 'repohost.json'), '{');
    const detail = expect.stringMatching(/: The file repositories\/octo\/hello\.git\/repohost\.json is damaged/);
    await expect(host.file(repository, 'a', null, 1)).rejects.toMatchObject({ retry: true, detail });
    await close();
  });
});
