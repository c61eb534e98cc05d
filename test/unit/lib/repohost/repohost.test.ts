import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../lib/files/errors.ts';
import { gitCommand } from '../../../../lib/repohost/git/git.ts';
import { openRepositories, startRepoHost } from '../../../../lib/repohost/repohost.ts';
import { git } from '../../../support/repohost-fixture.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

const secrets = new Map([
  ['ada', 'p:ss word'],
  ['eve', 'sesame'],
]);

let head: string;

const world = repoHostWorld(
  async ({ copy, start }) => {
    const host = await start({ verify: async (user, secret) => secrets.get(user) === secret });
    await host.createRepository('ada', 'open');
    await host.createRepository('ada', 'closed', { private: true });
    head = await copy.commit('first', { 'package.json': '{"name":"x"}', 'dir/file': 'text' });
    await copy.git('push', '--quiet', host.repositoryPath('ada', 'open'), 'main');
    await copy.git('push', '--quiet', host.repositoryPath('ada', 'closed'), 'main');
  },
  { once: true },
);

const ask = (path: string, init: RequestInit = {}) => fetch(`${world.host.url}${path}`, init);
const as = (user: string) => ({ headers: { authorization: `Basic ${btoa(`${user}:${secrets.get(user)}`)}` } });
const cloneUrl = (user: string, name: string) =>
  world.host.cloneUrl('ada', name).replace('//', `//${user}:${encodeURIComponent(secrets.get(user) ?? '')}@`);

describe('The server of the repository host', () => {
  it('refuses a wrong login even where none is needed', async () => {
    const headers = { authorization: `Basic ${btoa('ada:wrong')}` };
    expect((await ask('/ada/open', { headers })).status).toBe(401);
    expect((await ask('/ada/open', { headers: { authorization: 'Bearer x' } })).status).toBe(401);
    expect((await ask('/ada/open')).status).toBe(200);
  });

  it('says to git-lfs that it keeps no files, and how to push without it', async () => {
    const batch = await ask('/ada/open.git/info/lfs/objects/batch', { method: 'POST', body: '{}' });
    expect([batch.status, batch.headers.get('content-type')]).toEqual([422, 'application/vnd.git-lfs+json']);
    expect(await batch.text()).toContain('git push --no-verify');
    expect((await ask('/ada/open.git/info/lfs/locks/verify', { method: 'POST', body: '{}' })).status).toBe(404);
  });

  it('makes a repository of the user, private if that is asked for', async () => {
    const create = (body: unknown, init: RequestInit = as('ada')) =>
      ask('/user/repos', { method: 'POST', body: JSON.stringify(body), ...init });
    const made = await create({ name: 'secret', private: true });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({
      full_name: 'ada/secret',
      private: true,
      clone_url: world.host.cloneUrl('ada', 'secret'),
    });
    expect((await ask('/ada/secret')).status).toBe(404);
    expect((await ask('/ada/secret', as('eve'))).status).toBe(404);
    expect((await ask('/ada/secret', as('ada'))).status).toBe(200);
    for (const body of [{ name: 'secret' }, { name: '../x' }, {}]) expect((await create(body)).status).toBe(422);
    expect((await ask('/user/repos', { method: 'POST', body: '{', ...as('ada') })).status).toBe(422);
    expect((await create({ name: 'x'.repeat(100_000) })).status).toBe(413);
    expect((await create({}, {})).status).toBe(401);
    expect((await ask('/user/repos')).status).toBe(404);
  });

  it.each(['/..%2f..%2fetc/passwd', '/ada/..%2fopen', '/ada/%00', '/%ff'])(
    'leads the path %s to nothing',
    async (path) => expect((await ask(path)).status).toBe(404),
  );

  it('refuses requests under another host name (DNS rebinding)', async () => {
    const status = await new Promise((resolve) => {
      const headers = { host: 'evil.test' };
      request(`${world.host.url}/ada/open`, { headers }, (response) => resolve(response.resume().statusCode)).end();
    });
    expect(status).toBe(421);
  });
});

describe('Git over HTTP', () => {
  it('A public repository can be cloned without a login', async () => {
    await git(['clone', '--quiet', world.host.cloneUrl('ada', 'open'), join(world.folder, 'clone')]);
    const { stdout } = await git(['-C', join(world.folder, 'clone'), 'rev-parse', 'HEAD']);
    expect(stdout.trim()).toBe(head);
  });

  it('A private repository can be cloned only by its owner', async () => {
    const target = (name: string) => join(world.folder, name);
    await expect(git(['clone', world.host.cloneUrl('ada', 'closed'), target('no')])).rejects.toThrow();
    await expect(git(['clone', cloneUrl('eve', 'closed'), target('hers')])).rejects.toThrow();
    await git(['clone', '--quiet', cloneUrl('ada', 'closed'), target('by-login')]);
  });

  it('The owner can push, and sees the outcome of the deploy', async () => {
    await world.copy.commit('over http', { big: 'x'.repeat(3_000_000) });
    const before = world.service.pushes.length;
    const { stderr } = await world.copy.git('push', cloneUrl('ada', 'open'), 'main');
    expect(stderr).toContain('remote: deploy main');
    expect(world.service.pushes).toHaveLength(before + 1);
  });

  it('Anonymous clients cannot tell a private repository from a missing one', async () => {
    const query = '/info/refs?service=git-upload-pack';
    const answers = await Promise.all(
      ['closed', 'nothing'].map((name) => fetch(world.host.cloneUrl('ada', name) + query)),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  it('Only the services of the git protocol are served', async () => {
    for (const path of ['config', 'HEAD', 'objects/info/packs', 'repohost.json', 'hooks/post-receive']) {
      expect((await fetch(`${world.host.cloneUrl('ada', 'open')}/${path}`)).status).toBe(404);
    }
  });
});

describe('The repository host', () => {
  it('A repository that is created again is left as it is', async () => {
    await world.host.createRepository('ada', 'open', { private: true });
    expect((await fetch(`${world.host.url}/ada/open`)).status).toBe(200);
  });

  it.each([
    ['..', 'x'],
    ['a/b', 'x'],
    ['repos', 'x'],
    ['user', 'x'],
    ['ada', '..'],
    ['ada', 'x.git'],
    ['ada', ''],
    ['-x', 'x'],
  ])('The repository name %j/%j is refused', async (owner, name) => {
    await expect(world.host.createRepository(owner, name)).rejects.toThrow(OperatorError);
  });

  it('An invalid default branch is refused', async () => {
    await expect(world.host.createRepository('ada', 'bad-branch', { defaultBranch: 'a..b' })).rejects.toThrow(
      OperatorError,
    );
    expect((await fetch(`${world.host.url}/ada/bad-branch`)).status).toBe(404);
  });

  it('The repository host says in one sentence that git is missing', async () => {
    const opening = openRepositories(join(world.folder, 'none'), gitCommand('/nowhere/git'));
    await expect(opening).rejects.toThrow(/^git was not found: install it/);
  });

  it('The repository host says in one sentence that its port is taken', async () => {
    const port = Number(new URL(world.host.url).port);
    const open = await openRepositories(join(world.folder, 'second'));
    const options = { port, verify: async () => false, receiver: world.service };
    await expect(startRepoHost(open, options)).rejects.toThrow(`could not listen on port ${port}`);
  });
});
