import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../lib/files/errors.ts';
import { archiveLinks } from '../../../../lib/repohost/git/archive.ts';
import { startRepoHost } from '../../../../lib/repohost/repohost.ts';
import { bodyOf } from '../../../support/body-of.ts';
import { git } from '../../../support/repohost-fixture.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

const webhook = { url: 'http://127.0.0.1:9/', user: 'ada', secret: 'p:ss word' };

let head: string;
let token: string;

const world = repoHostWorld(
  async ({ copy, start }) => {
    const host = await start({ webhook: { secret: webhook.secret } });
    await host.createRepository('ada', 'open');
    await host.createRepository('ada', 'closed', { private: true });
    head = await copy.commit('first', { 'package.json': '{"name":"x"}', 'dir/file': 'text' });
    await copy.git('push', '--quiet', host.repositoryPath('ada', 'open'), 'main');
    await copy.git('push', '--quiet', host.repositoryPath('ada', 'closed'), 'main');
    token = host.createToken({ login: 'ada', expiresAt: '2099-01-30T09:12:13Z' });
  },
  { once: true },
);

const api = (path: string, init: RequestInit = {}) =>
  fetch(`${world.host.api}${path}`, { redirect: 'manual', ...init });
const as = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
const cloneUrl = (login: string, name: string) => world.host.cloneUrl('ada', name).replace('//', `//${login}@`);

describe('The REST API', () => {
  it('The REST API answers in the format of GitHub, with its rate-limit headers', async () => {
    const response = await api('/repos/ada/nothing/contents/package.json');
    expect(response.status).toBe(404);
    expect(response.headers.get('x-ratelimit-limit')).toBe('60');
    expect(Number(response.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ message: 'Not Found', documentation_url: expect.any(String) });
  });

  it('A wrong token is refused even where none is needed', async () => {
    const response = await api(`/repos/ada/open/contents/package.json?ref=${head}`, as('wrong'));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ message: 'Bad credentials' });
  });

  it('GET /user returns the scopes and the expiration of a token', async () => {
    const response = await api('/user', as(token));
    expect(await response.json()).toMatchObject({ login: 'ada' });
    expect(response.headers.get('x-oauth-scopes')).toBe('repo');
    expect(response.headers.get('github-authentication-token-expiration')).toBe('2099-01-30 09:12:13 UTC');
    expect((await api('/user')).status).toBe(401);
  });

  it('An expired token is refused', async () => {
    const past = world.host.createToken({ login: 'ada', expiresAt: '2001-01-01T00:00:00Z' });
    expect((await api('/user', as(past))).status).toBe(401);
  });

  it('POST /user/tokens makes a token with the password, which is shown once and valid everywhere', async () => {
    const password = `Basic ${Buffer.from(`${webhook.user}:${webhook.secret}`).toString('base64')}`;
    const response = await api('/user/tokens', { method: 'POST', headers: { authorization: password } });
    expect(response.status).toBe(201);
    const made = await bodyOf(response, { token: v.string() });
    expect(made).toEqual({ token: expect.stringMatching(/^local_[0-9a-f]{48}$/), scopes: ['repo'] });
    expect(await (await api('/user', as(made.token))).json()).toMatchObject({ login: 'ada' });
    expect((await api('/user/tokens', { method: 'POST', ...as(made.token) })).status).toBe(403);
    expect((await api('/user/tokens', { method: 'POST' })).status).toBe(401);
  });

  it('GET and DELETE /user/tokens list the tokens of a user without their secrets, and revoke one', async () => {
    const made = world.host.createToken({ login: 'eve' });
    const other = world.host.createToken({ login: 'eve' });
    const listed = async () =>
      bodyOf(await api('/user/tokens', as(other)), { tokens: v.array(v.looseObject({ id: v.string() })) });
    const [first, second] = (await listed()).tokens;
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      created_at: expect.any(String),
      expires_at: null,
    });
    expect(JSON.stringify(await listed())).not.toContain(made);

    const revoke = (secret: string) => api(`/user/tokens/${first?.id}`, { method: 'DELETE', ...as(secret) });
    expect((await revoke(token)).status).toBe(404);
    expect((await revoke(other)).status).toBe(204);
    expect((await api('/user', as(made))).status).toBe(401);
    expect((await revoke(other)).status).toBe(404);
    expect((await listed()).tokens).toEqual([second]);
    expect((await api('/user/tokens')).status).toBe(401);
  });

  it('an owner who is not kept has no token and no login any more', async () => {
    await world.host.addOwner({ user: 'ben', secret: 'sesame' });
    const made = world.host.createToken({ login: 'ben' });
    const login = { headers: { authorization: `Basic ${Buffer.from('ben:sesame').toString('base64')}` } };
    expect([(await api('/user', as(made))).status, (await api('/user', login)).status]).toEqual([200, 200]);
    await world.host.keepOwners(['ada', 'eve']);
    expect([(await api('/user', as(made))).status, (await api('/user', login)).status]).toEqual([401, 401]);
    expect((await api('/user', as(token))).status).toBe(200);
  });

  it('POST /user/repos creates a repository of the user, private if that is asked for', async () => {
    const create = (body: unknown, secret = token) =>
      api('/user/repos', { method: 'POST', body: JSON.stringify(body), ...as(secret) });
    const made = await create({ name: 'secret', private: true });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({
      full_name: 'ada/secret',
      private: true,
      clone_url: world.host.cloneUrl('ada', 'secret'),
    });
    expect((await api('/ada/secret')).status).toBe(404);
    expect((await api('/ada/secret', as(token))).status).toBe(200);
    for (const body of [{ name: 'secret' }, { name: '../x' }, {}]) expect((await create(body)).status).toBe(422);
    expect((await api('/user/repos', { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await api('/user/repos')).status).toBe(404);
  });

  it('The link to a tarball needs no login, and is valid for five minutes and one commit', async () => {
    const response = await api(`/repos/ada/closed/tarball/${head}`, as(token));
    expect(response.status).toBe(302);
    const location = response.headers.get('location') ?? '';
    const tarball = await fetch(location);
    expect(tarball.headers.get('content-type')).toBe('application/x-gzip');
    expect(gunzipSync(await tarball.arrayBuffer()).toString('latin1')).toContain(`ada-closed-${head}/package.json`);
    expect((await fetch(location.replace('/closed/', '/open/'))).status).toBe(404);
    expect((await fetch(location.replace(/expires=\d+/, 'expires=9999999999999'))).status).toBe(404);
    expect((await fetch(location.split('?')[0] ?? '')).status).toBe(404);
  });

  it.each(['..%2f..%2fpassword', '%2fetc%2fpasswd', '.%2fpackage.json', 'package.json%00', '%0apackage.json'])(
    'The path %s of a file is not found, as it leads to none of the repository',
    async (path) => expect((await api(`/repos/ada/open/contents/${path}`)).status).toBe(404),
  );

  it('A tarball that this process asks for is whole, also when git has ended before it is read', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const ask = (address: string) => world.host.request({ method: 'GET', url: new URL(address), headers });
    const { headers: link } = await ask(`${world.host.api}/repos/ada/closed/tarball/${head}`);
    const { status, body } = await ask(link.location ?? '');
    expect(status).toBe(200);
    await setTimeout(500);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    expect(gunzipSync(Buffer.concat(chunks)).toString('latin1')).toContain(`ada-closed-${head}/package.json`);
  });

  it('A link to a tarball expires after five minutes', () => {
    let now = 1_000_000;
    const links = archiveLinks(() => now);
    const archive = { owner: 'ada', name: 'open', sha: head };
    const query = new URL(links.make(archive), 'http://host').searchParams;
    now += 299_000;
    expect(links.isGenuine(archive, query)).toBe(true);
    now += 2000;
    expect(links.isGenuine(archive, query)).toBe(false);
  });

  it('The statuses of a commit are listed newest first, also after a restart', async () => {
    for (const state of ['pending', 'success']) {
      const body = JSON.stringify({ state, target_url: 'https://d.test/1', description: state, context: 'deploy' });
      const response = await api(`/repos/ada/open/statuses/${head}`, { method: 'POST', body, ...as(token) });
      expect(response.status).toBe(201);
      expect(await response.json()).toMatchObject({ state, creator: { login: 'ada' } });
    }
    const list: unknown = await (await api(`/repos/ada/open/commits/${head}/statuses`)).json();
    expect(list).toMatchObject([{ state: 'success' }, { state: 'pending' }]);
    expect(await world.host.statuses('ada', 'open', head)).toHaveLength(2);
  });

  it.each([
    ['an unknown state', '{"state":"done"}', 422],
    ['a description beyond 140 characters', `{"state":"error","description":"${'x'.repeat(141)}"}`, 422],
    ['invalid JSON', '{', 400],
  ])('A commit status with %s is refused', async (_, body, status) => {
    const init = { method: 'POST', body, ...as(token) };
    expect((await api(`/repos/ada/open/statuses/${head}`, init)).status).toBe(status);
  });

  it('Only the owner can set a commit status', async () => {
    const stranger = world.host.createToken({ login: 'eve' });
    const body = '{"state":"success"}';
    const path = `/repos/ada/open/statuses/${head}`;
    expect((await api(path, { method: 'POST', body })).status).toBe(401);
    expect((await api(path, { method: 'POST', body, ...as(stranger) })).status).toBe(403);
  });

  it.each(['--all', '-h', 'main..main', '@{0}', 'HEAD~1', ':/first', ''])(
    'The name %j is not accepted as a commit',
    async (name) => {
      const response = await api(`/repos/ada/open/contents/package.json?ref=${encodeURIComponent(name)}x`);
      expect(response.status).toBe(404);
      expect((await api(`/repos/ada/open/commits/${encodeURIComponent(name)}x`)).status).toBe(422);
    },
  );

  it.each([
    '/repos/..%2f..%2fetc/passwd/tarball/main',
    '/repos/ada/..%2fopen/tarball/main',
    '/repos/ada/%00/tarball/x',
    '/%ff',
  ])('The path %s cannot leave the data folder', async (path) => {
    expect((await api(path)).status).toBe(404);
  });

  it('The REST API refuses requests under another host name (DNS rebinding)', async () => {
    const status = await new Promise((resolve) => {
      const headers = { host: 'evil.test' };
      request(`${world.host.url}/user`, { headers }, (response) => resolve(response.resume().statusCode)).end();
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

  it("A private repository can be cloned only with a token or the webhook's login", async () => {
    const target = (name: string) => join(world.folder, name);
    await expect(git(['clone', world.host.cloneUrl('ada', 'closed'), target('no')])).rejects.toThrow();
    await git(['clone', '--quiet', cloneUrl(`ada:${token}`, 'closed'), target('by-token')]);
    const login = `${webhook.user}:${encodeURIComponent(webhook.secret)}`;
    await git(['clone', '--quiet', cloneUrl(login, 'closed'), target('by-login')]);
  });

  it('The owner can push, and sees the outcome of the deploy', async () => {
    await world.copy.commit('over http', { big: 'x'.repeat(3_000_000) });
    const before = world.service.calls.length;
    const { stderr } = await world.copy.git('push', cloneUrl(`ada:${token}`, 'open'), 'main');
    expect(stderr).toContain('remote: deploy main');
    expect(world.service.calls).toHaveLength(before + 1);
    expect(world.service.calls.at(-1)?.payload).toMatchObject({ pusher: { name: 'ada' } });
  });

  it('Anonymous clients and other users cannot push', async () => {
    await world.copy.git('checkout', '--quiet', '-B', 'other');
    const stranger = world.host.createToken({ login: 'eve' });
    await expect(world.copy.git('push', world.host.cloneUrl('ada', 'open'), 'other')).rejects.toThrow();
    await expect(world.copy.git('push', cloneUrl(`eve:${stranger}`, 'open'), 'other')).rejects.toThrow();
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
    const options = { dataDir: join(world.folder, 'none'), port: 0, webhook, git: '/nowhere/git' };
    await expect(startRepoHost(options)).rejects.toThrow(/^git was not found: install it/);
  });

  it('The repository host says in one sentence that its port is taken', async () => {
    const port = Number(new URL(world.host.url).port);
    const options = { dataDir: join(world.folder, 'second'), port, webhook };
    await expect(startRepoHost(options)).rejects.toThrow(`could not listen on port ${port}`);
  });
});
