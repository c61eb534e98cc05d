import { readFileSync } from 'node:fs';
import { get as plainGet } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReservedPort, reservePort } from '../../lib/http/ports.ts';
import { addUser, type Login, readLogin, removeUser } from '../../lib/local/config/users.ts';
import { cli } from '../support/cli.ts';
import { caddyVersion, withCaddy } from '../support/service/caddy.ts';
import { application, entryAddress, gitFolder } from '../support/service/git-folder.ts';
import { project } from '../support/service/place.ts';
import { type Started, startEngineForTest } from '../support/service/started.ts';

const fixture = JSON.parse(
  readFileSync(join(project, 'test', 'fixtures', 'senders', 'gitlab', 'push.json'), 'utf8'),
) as { readonly headers: Record<string, string>; readonly body: { readonly project: { readonly web_url: string } } };
const { origin } = new URL(fixture.body.project.web_url);

describe('a configured service on one machine', () => {
  let started: Started;
  const remote = ({ user, password }: Login, name: string) =>
    started.service.repoHost.cloneUrl(user, name).replace('//', `//${user}:${password}@`);
  const pushes = async (login: Login, name: string) => {
    const tree = gitFolder(remote(login, name));
    tree.commit(application(name, `of ${login.user}`));
    return tree.pushAndWatch();
  };

  let reserved: ReservedPort;
  let publicPort: number;
  const publicUrl = () => `https://deploy.apps.localhost:${publicPort}/hooks`;

  beforeAll(async () => {
    // Until Caddy takes it: others that run meanwhile look for ports too.
    reserved = await reservePort(0);
    publicPort = reserved.port;
    started = await startEngineForTest(
      'configuration',
      {},
      {
        repositoryHosts: [
          {
            name: 'work',
            kind: 'gitlab',
            api: `${origin}/api/v4`.replace('http:', 'https:'),
            web: origin.replace('http:', 'https:'),
          },
        ],
        defaultBranch: 'trunk',
        publicUrl: publicUrl(),
        appsDomain: 'apps.localhost',
        // Those of GitHub do not concern what is pushed to the service itself, which the tests below do.
        hookSecrets: { demo: { gitlab: ['sesame'] }, ann: { github: ['open'] }, '*': { github: ['simsim'] } },
        users: ['ann'],
      },
    );
  });
  afterAll(async () => {
    await started.close();
    await reserved.release();
  });

  it('takes signed webhooks of a configured GitLab, and deploys the configured branch', async () => {
    const { 'x-gitlab-token': _, ...headers } = fixture.headers;
    const call = (token: string) => started.hook(fixture.body, { ...headers, 'x-gitlab-token': token }, '');
    expect(await call('wrong')).toMatchObject({ status: 401, body: { code: 'deploy:auth:bad_creds' } });
    const answer = await call('sesame');
    expect(answer).toMatchObject({ status: 200, body: { status: 'skipped' } });
    expect(answer.body.reason).toContain('only the branch trunk is deployed');
    expect(answer.body.id).toContain(`${publicUrl()}/1/status/demo/changes/`);
  });

  it('has further users, who push, deploy and read below their own name, behind a public address too', async () => {
    const ann = readLogin(started.dataDir, 'ann');
    const printed = await pushes(ann, 'shop');
    const address = `https://shop.ann.apps.localhost:${publicPort}`;
    expect(printed).toMatch(new RegExp(`remote: live after .*: ${address}`));
    expect(entryAddress(printed)).toContain(`${publicUrl()}/1/status/ann/changes/`);
    const login = `ann:${ann.password}`;
    const page = await started.call('/1/status/ann/webhooks', { login });
    expect(page.body).toMatchObject({ total: 1, rows: [{ url: address }] });
    const apps = await started.call('/1/apps/ann', { login });
    expect(apps.body).toMatchObject({ apps: [{ name: 'shop', url: address }] });
    expect((await started.call('/1/status/ann/webhooks')).body).toMatchObject({ code: 'mw:auth:not_you' });
  });

  it('takes in a user who is added while it runs', async () => {
    const ben = addUser(started.dataDir, 'ben');
    const status = () => started.call('/1/status/ben/webhooks', { login: `ben:${ben.password}` });
    await expect.poll(async () => (await status()).status).toBe(200);
    expect(await pushes(ben, 'blog')).toMatch(/remote: live after .*: https:/);
    expect((await status()).body).toMatchObject({ total: 1 });
  });

  it('removes a user while it runs: logins and tokens end, the applications stop', async () => {
    const login = `ben:${readLogin(started.dataDir, 'ben').password}`;
    const status = async (secret: string) => (await started.call('/1/status/ben/webhooks', { login: secret })).status;
    const headers = { 'content-type': 'application/json' };
    const made = await started.call('/1/auth/tokens', { login, method: 'POST', headers, body: '{"name":"ci"}' });
    expect(made.status).toBe(201);
    const token = `ben:${made.body.token}`;
    removeUser(started.dataDir, 'ben');
    // The service remembers a login for a minute; this token has not been used yet.
    await expect.poll(() => started.service.engine.users.names()).not.toContain('ben');
    expect(await status(token)).toBe(401);
    const page = async () => {
      const { port } = new URL(started.service.url);
      return new Promise<number>((resolve) => {
        const headers = { host: 'blog.ben.localhost' };
        plainGet({ host: '127.0.0.1', port, headers }, (answer) => resolve(answer.statusCode ?? 0));
      });
    };
    await expect.poll(page).toBe(503);
  });

  it.skipIf(caddyVersion === undefined)(`is served by Caddy with the printed Caddyfile (${caddyVersion})`, async () => {
    const { port } = new URL(started.service.url);
    const printed = await cli('server --caddy', { env: { DATA_DIR: started.dataDir, PORT: port } });
    await reserved.release();
    await withCaddy(printed.out, publicPort, async (ca) => {
      const ask = (host: string, path = '/') => answerOf({ host, path, port: publicPort, ca });
      expect(await ask('shop.ann.apps.localhost')).toBe('200 of ann');
      expect(await ask('deploy.apps.localhost', '/1/status/ann/webhooks')).toMatch(/^401 .*mw:auth/);
      expect(await ask('git.apps.localhost', '/ann/shop.git/info/refs?service=git-upload-pack')).toMatch(/^401/);
      // No certificate, because the service says that it knows no such name.
      expect(await ask('nothing.ann.apps.localhost')).toMatch(/alert internal error/);
    });
    // Before the first start the file leads all names to the service.
    const early = printed.out.replace(/\t@service .*\}/s, `\treverse_proxy 127.0.0.1:${port}\n}`);
    expect(early).not.toBe(printed.out);
    await withCaddy(early, publicPort, async (ca) => {
      const host = 'shop.ann.apps.localhost';
      expect(await answerOf({ host, path: '/', port: publicPort, ca })).toBe('200 of ann');
    });
  });
});

interface Asked {
  readonly host: string;
  readonly path: string;
  readonly port: number;
  /** The authority that is trusted. */
  readonly ca: string;
}

/** A request by a name that nobody has to resolve; the error when its certificate is missing or not for the name. */
function answerOf({ host, path, port, ca }: Asked) {
  return new Promise<string>((resolve) => {
    const options = { host: '127.0.0.1', servername: host, port, path, headers: { host }, ca };
    get(options, async (answer) => resolve(`${answer.statusCode} ${await text(answer)}`)).once('error', (error) =>
      resolve(error.message),
    );
  });
}
