import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { senders } from '../../../../functions/adapters/senders/registry.ts';
import { isEndpoint, withoutSecret } from '../../../../lib/cli/hook/instructions.ts';
import { apiServer, type Reply, server } from '../../../support/api-server.ts';
import { cli } from '../../../support/cli.ts';
import { doc, entry, type SentEntry } from '../../../support/cli-entries.ts';
import { newFolder } from '../../../support/new-folder.ts';

const secret = 'p@ss/wörd:canary';
const hostToken = 'host-token-canary';
const env = { HOOKS_URL: 'https://deploy.example.com/', HOOKS_USER: 'kiwi', HOOKS_SECRET: secret };
const token = `dwt_${'0a'.repeat(20)}`;
const withToken = `https://kiwi:${token}@deploy.example.com/1/deploy?branch=main`;
const stored = 'https://kiwi:p%40ss%2Fw%C3%B6rd%3Acanary@deploy.example.com/1/deploy?branch=main';

async function run(args: string, more: Readonly<Record<string, string | undefined>> = {}) {
  const { code, out, err } = await cli(`hook ${args}`, { env: { ...env, ...more } });
  return { code, text: out, err };
}

const withSetup = senders.filter(({ setup }) => setup !== null).map(({ id }) => id);

describe('The printed settings of a webhook', () => {
  it.each(withSetup)('for %s have a placeholder in place of the secret', async (sender) => {
    const { code, text } = await run(`${sender} octo/hello`);
    expect(code).toBe(0);
    expect(text).toMatch(/deploy\.example\.com\/1\/deploy/);
    expect(text).toContain('<token>');
    expect(text).not.toContain('canary');
  });

  it('exist for every sender except those that need none', () => {
    expect(senders.filter(({ setup }) => setup === null).map(({ id }) => id)).toEqual(['github-legacy']);
  });

  it('contain user, branch and, with --show-secret, the secret, encoded for a URL', async () => {
    expect((await run('github octo/hello --branch feature/x')).text).toContain(
      'https://kiwi:<token>@deploy.example.com/1/deploy?branch=feature%2Fx',
    );
    expect((await run('gitlab a/b/hello --branch main --show-secret')).text).toContain(stored);
  });

  it('name an environment with --environment, which has no previews', async () => {
    const { text } = await run('github octo/hello --branch staging --environment Staging');
    expect(text).toContain('/1/deploy?branch=staging&environment=staging');
    for (const [args, problem] of [
      ['--environment a_b', '--environment is a word'],
      ['--environment staging --previews', 'An environment has no previews.'],
    ]) {
      expect(await run(`github octo/hello ${args}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${problem}`),
      });
    }
  });

  it('ask for previews with --previews, and name the events that they need', async () => {
    const { text } = await run('github octo/hello --branch main --previews');
    expect(text).toContain('/1/deploy?branch=main&previews=true');
    expect(text).toMatch(/And the events +Pull requests/);
    const { text: ofBitbucket } = await run('bitbucket octo/hello --previews');
    expect(ofBitbucket).toMatch(/And the events +Pull request: Created, Updated, Merged, Declined/);
    const { code, err } = await run('travis octo/hello --previews');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('only those of forgejo, gitea, gitlab, bitbucket, github.'),
    ]);
  });

  it('ask for previews that wait for CI with --previews-ci, and say which events bring its results', async () => {
    const { text, err } = await run('github octo/hello --previews-ci');
    expect(text).toContain('/1/deploy?previews=ci');
    expect(text).toMatch(/And the events +Pull requests/);
    expect(err).toContain('"hooks hook github-actions octo/hello" or ');
    expect((await run('github octo/hello --previews')).err).not.toContain('CI');
    expect((await run('gitlab octo/hello --previews --previews-ci')).err).toContain('hooks hook gitlab-ci octo/hello');
  });

  it.each(['--branch main', '--previews', '--previews-ci', '--show-secret'])(
    'are not taken with --show and --remove, which are about all webhooks: %s',
    async (settings) => {
      for (const action of ['--show', '--remove']) {
        const said = await run(`github octo/hello ${action} ${settings}`, { HOOKS_HOST_TOKEN: hostToken });
        const err = expect.stringContaining(`${action} is about all webhooks that call the service: it takes no --`);
        expect(said).toMatchObject({ code: 2, err });
      }
    },
  );

  it('have the login in a header rather than in the address where the host supports it', async () => {
    const { text } = await run('forgejo octo/hello --show-secret --api https://git.example.com/api/v1');
    expect(text).toContain(`Basic ${Buffer.from(`kiwi:${secret}`).toString('base64')}`);
    expect(text).toContain('https://git.example.com/octo/hello/settings/hooks');
    expect(text).not.toContain('kiwi:p');
  });

  it.each([
    ['semaphore', 'A CI provider that can run a command can make this call.'],
    ['azure-devops', 'add the event Check suites to the webhook of the repository'],
    ['jenkins', 'Its builds call with one line at their end'],
    ['github-legacy', 'A CI provider'],
    ['constructor', 'A CI provider'],
  ])('are those for any CI where the sender %s has none, which is said', async (sender, said) => {
    const { code, text, err } = await run(`${sender} octo/hello`);
    expect(code).toBe(0);
    expect(text).toBe((await run('ci octo/hello')).text);
    expect(err).toContain(`There are no settings for "${sender}", only for forgejo, `);
    expect(err).toContain(said);
  });

  it.each([
    ['', 'Usage'],
    ['github', 'Usage'],
    ['github octo/hello more', 'Usage'],
    ['github octo/hello --unknown', 'Usage'],
    ['svn octo/hello --create', 'no settings for "svn"'],
    ['github hello', '<owner>/<name>'],
    ['github ../hello', '<owner>/<name>'],
    ['github octo/hello --create --remove', 'Only one of'],
    ['github octo/hello --url http://deploy.example.com', 'https://'],
    ['github octo/hello --url https://me:canary@deploy.example.com', 'must not hold a login'],
    ['travis octo/hello --create', 'cannot be created'],
    ['github octo/hello --create', 'HOOKS_HOST_TOKEN'],
  ])('are replaced by an error for the arguments %j', async (args, words) => {
    const { code, text, err } = await run(args);
    expect(code).toBe(2);
    expect(text).toBe('');
    expect(err).toContain(words);
    expect(err).not.toContain('canary');
  });

  it('need HOOKS_SECRET with --show-secret', async () => {
    expect((await run('github o/n --show-secret', { HOOKS_SECRET: '' })).err).toContain('--show-secret needs');
  });
});

describe('The address of a webhook for the service on this machine', () => {
  /** The printed settings, where `GET /` of the service is answered with this. */
  async function hookAt(document: string) {
    const dataDir = newFolder('hook');
    const url = await server((_, response) => void response.end(document));
    writeFileSync(join(dataDir, 'url'), url);
    writeFileSync(join(dataDir, 'netrc'), 'machine 127.0.0.1 login demo password pass-canary\n');
    const ran = await cli('hook github octo/hello', { env: { DATA_DIR: dataDir } });
    return { ...ran, url };
  }

  it('is its public one', async () => {
    const document = JSON.stringify({ links: { deploy: 'https://deploy.example.com/hooks/1/deploy' } });
    const { code, out, err } = await hookAt(document);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('https://demo:<token>@deploy.example.com/hooks/1/deploy');
  });

  it.each(['', '{}', '{"links":{"deploy":7}}'])(
    'is the one here for the answer "%s", with a warning',
    async (answer) => {
      const { out, err, url } = await hookAt(answer);
      expect(out).toContain(`${url.replace('://', '://demo:<token>@')}/1/deploy`);
      expect(err).toContain('PUBLIC_URL');
    },
  );
});

const github = (id: number, url: string) => ({ id, active: true, events: ['push'], config: { url } });
const hosts = [
  {
    host: 'github',
    path: '/repos/octo/hello/hooks',
    one: github(7, withToken),
    list: (...all: unknown[]): unknown => all,
    body: { name: 'web', events: ['push'], config: { url: withToken, content_type: 'json' } },
    header: { authorization: `Bearer ${hostToken}` },
  },
  {
    host: 'gitlab',
    path: '/projects/octo%2Fhello/hooks',
    one: { id: 7, url: withToken, push_events: true },
    list: (...all: unknown[]): unknown => all,
    body: { url: withToken, push_events: true, enable_ssl_verification: true },
    header: { 'private-token': hostToken },
  },
  {
    host: 'bitbucket',
    path: '/repositories/octo/hello/hooks',
    one: { uuid: '{7}', url: withToken, active: true, events: ['repo:push'] },
    list: (...values: unknown[]): unknown => ({ values }),
    body: { url: withToken, active: true, events: ['repo:push'] },
    header: { authorization: `Bearer ${hostToken}` },
  },
  ...['gitea', 'forgejo'].map((host) => ({
    host,
    path: '/repos/octo/hello/hooks',
    one: github(7, 'https://deploy.example.com/1/deploy?branch=main'),
    list: (...all: unknown[]): unknown => all,
    body: {
      type: host,
      config: { url: 'https://deploy.example.com/1/deploy?branch=main' },
      authorization_header: `Basic ${Buffer.from(`kiwi:${token}`).toString('base64')}`,
    },
    header: { authorization: `token ${hostToken}` },
  })),
];

it.each([
  ['github', { events: ['push', 'pull_request'] }],
  ['forgejo', { events: ['push', 'pull_request', 'pull_request_sync'] }],
  ['gitlab', { push_events: true, merge_requests_events: true }],
  [
    'bitbucket',
    {
      events: [
        'repo:push',
        'pullrequest:created',
        'pullrequest:updated',
        'pullrequest:fulfilled',
        'pullrequest:rejected',
      ],
    },
  ],
])('a webhook at %s that is created with --previews has their events', async (host, events) => {
  const url = `${stored}&previews=true`;
  const replies = new Map<string, unknown>([
    ['gitlab', { id: 7, url, push_events: true, merge_requests_events: true }],
    ['bitbucket', { uuid: '{7}', url, active: true, ...events }],
  ]);
  const reply = replies.get(host) ?? github(7, url);
  const none = host === 'bitbucket' ? { values: [] } : [];
  const server = await apiServer({ status: 200, body: none }, { status: 201, body: reply });
  const login = { HOOKS_HOST_TOKEN: hostToken, HOOKS_SECRET: token };
  const { text } = await run(`${host} octo/hello --previews --create --api ${server.url}`, login);
  if (host === 'gitlab') expect(text).toContain('push and merge_requests');
  expect(JSON.parse(server.received[1]?.body ?? '')).toMatchObject(events);
  expect(server.received[1]?.body).toContain('previews=true');
});

describe.each(hosts)('hook for a webhook at $host', ({ host, path, one, list, body, header }) => {
  const id = encodeURIComponent('uuid' in one ? one.uuid : String(one.id));
  const act = async (action: string, ...replies: readonly Reply[]) => {
    const server = await apiServer(...replies);
    const settings = action === 'create' ? ' --branch main' : '';
    const args = `${host} octo/hello${settings} --${action} --api ${server.url}`;
    // The token of a removed webhook is revoked where there is a login, which is tested below.
    const login = action === 'remove' ? undefined : token;
    const outcome = await run(args, { HOOKS_HOST_TOKEN: hostToken, HOOKS_SECRET: login });
    expect(outcome.text).not.toContain('canary');
    expect(outcome.text).not.toContain(token);
    return { ...outcome, calls: server.received };
  };

  it('creates a webhook with the token of the login and removes the previous one', async () => {
    const elsewhere = JSON.parse(JSON.stringify(one).replaceAll('deploy.example.com', 'other.example.com'));
    const { calls, text } = await act(
      'create',
      { status: 200, body: list(one, elsewhere) },
      { status: 201, body: one },
      { status: 204, body: '' },
    );
    expect(calls.map(({ method, url }) => `${method} ${url?.split('?')[0]}`)).toEqual([
      `GET ${path}`,
      `POST ${path}`,
      `DELETE ${path}/${id}`,
    ]);
    expect(JSON.parse(calls[1]?.body ?? '')).toMatchObject(body);
    for (const { headers } of calls) expect(headers).toMatchObject(header);
    expect(text).toContain('Created');
  });

  it('shows webhooks without their secret', async () => {
    const { text } = await act('show', { status: 200, body: list(one) });
    expect(text).toMatch(/webhook \{?7\}? to https:\/\/(?:kiwi:\*\*\*@)?deploy\.example\.com\/1\/deploy\?branch=main/);
    expect((await act('show', { status: 200, body: list() })).text).toContain('has no webhook');
  });

  it('removes webhooks, and says so when there are none', async () => {
    const removed = await act('remove', { status: 200, body: list(one) }, { status: 204, body: '' });
    expect(removed.text).toContain('Removed');
    expect(removed.err).toContain('stays valid until "hooks tokens revoke <name>"');
    expect((await act('remove', { status: 200, body: list() })).calls).toHaveLength(1);
  });

  it.each([
    [401, 'HOOKS_HOST_TOKEN is not accepted'],
    [404, 'administer its webhooks'],
    [500, 'answered 500'],
  ])('fails on the status %i without quoting the host', async (status, words) => {
    const { code, err } = await act('show', { status, body: { message: `${token} ${hostToken}` } });
    expect(code).toBe(1);
    expect(err).toContain(words);
    expect(err).not.toContain('canary');
    expect(err).not.toContain(token);
  });

  it('does not follow redirects, because the token is only for the host', async () => {
    const err = async (reply: Reply) => (await act('show', reply)).err;
    expect(await err({ status: 302, headers: { location: 'http://127.0.0.1:9/' } })).toContain('reached');
    expect(await err({ status: 200, body: '<html>' })).toContain('could not be understood');
    expect(await err({ status: 200, body: 1 })).toContain('could not be understood');
  });
});

describe('A webhook that is created after a login with the password', () => {
  /** The tokens of the service and its calls. `deploys` is the entry of a first deploy, which is refused without. */
  async function service(names: readonly string[], deploys?: SentEntry) {
    const tokens = new Set(names);
    const calls: string[] = [];
    const url = await server(async (request, response) => {
      const { method, url: path = '', headers } = request;
      const name = decodeURIComponent(path.slice('/1/auth/tokens/'.length));
      if (path === '/') return void response.end('{}');
      if (path === '/1/apps/kiwi') {
        calls.push(`deploy ${await text(request)}`);
        return void response.writeHead(deploys ? 202 : 502).end(JSON.stringify(deploys ?? {}));
      }
      if (deploys && path.startsWith('/1/status/')) return void response.end(JSON.stringify(deploys));
      const password = Buffer.from(`kiwi:${secret}`).toString('base64');
      if (headers.authorization !== `Basic ${password}`) return void response.writeHead(401).end('{}');
      if (method === 'GET') {
        const list = [...tokens].map((one) => ({ name: one, created_at: '2026-01-01T00:00:00.000Z' }));
        return void response.end(JSON.stringify({ tokens: list }));
      }
      if (method === 'DELETE') {
        calls.push(`revoke ${name}`);
        return void response.writeHead(tokens.delete(name) ? 204 : 404).end();
      }
      const made = JSON.parse(await text(request)).name;
      calls.push(`make ${made}`);
      tokens.add(made);
      response.writeHead(201).end(JSON.stringify({ name: made, created_at: '2026-01-01T00:00:00.000Z', token }));
    });
    return { url, calls, tokens };
  }
  const hook = (at: { readonly url: string }, host: { readonly url: string }, action = 'create') =>
    run(`github octo/hello --${action} --api ${host.url}`, { HOOKS_URL: at.url, HOOKS_HOST_TOKEN: hostToken });

  it('has an API token of its own, named after host and repository, and never the password', async () => {
    const at = await service(['laptop']);
    const host = await apiServer({ status: 200, body: [] }, { status: 201, body: github(7, withToken) });
    const { code, text: out } = await hook(at, host);
    expect(code).toBe(0);
    expect(out).toContain('Its secret is the new API token "webhook github octo+hello".');
    expect(JSON.parse(host.received[1]?.body ?? '').config.url).toBe(
      `${at.url.replace('://', `://kiwi:${token}@`)}/1/deploy`,
    );
    expect(JSON.stringify(host.received) + out).not.toContain('canary:');
    expect([...at.tokens]).toEqual(['laptop', 'webhook github octo+hello']);
  });

  it('has the branch of the repository, whose tip is deployed, where none is named', async () => {
    const first = entry(12, { status: 'queued', doc: doc({ branch: 'trunk' }) });
    const at = await service([], first);
    const host = await apiServer({ status: 200, body: [] }, { status: 201, body: github(7, withToken) });
    const { code, text: out, err } = await hook(at, host, 'create --environment staging');
    expect([code, err.includes('before the next push')]).toEqual([0, false]);
    expect(out).toContain('The tip of trunk is deployed: "hooks watch --exit-status --entry 12" waits for it.');
    const repository = { host: 'github', owner: 'octo', name: 'hello' };
    expect(at.calls.at(-1)).toBe(`deploy ${JSON.stringify({ repository, environment: 'staging' })}`);
    const { url } = JSON.parse(host.received[1]?.body ?? '').config;
    expect(new URL(url).search).toBe('?branch=trunk&environment=staging');
  });

  it('is made although the repository cannot be deployed yet, which is said, and deploys nothing again', async () => {
    const at = await service([]);
    const host = await apiServer({ status: 200, body: [] }, { status: 201, body: github(7, withToken) });
    const { code, err } = await hook(at, host);
    expect([code, err]).toEqual([0, expect.stringContaining('Nothing is deployed before the next push: ')]);
    const earlier = [github(6, `${at.url}/1/deploy`)];
    const again = await apiServer(
      { status: 200, body: earlier },
      { status: 201, body: github(7, withToken) },
      { status: 204 },
    );
    await hook(at, again);
    expect(at.calls.filter((one) => one.startsWith('deploy'))).toHaveLength(1);
  });

  it('of an environment leaves that of another one as it is, with its token', async () => {
    const [base, staging] = ['webhook github octo+hello', 'webhook github~staging octo+hello'];
    const at = await service([base]);
    const production = github(6, `${at.url}/1/deploy?branch=main`);
    const replies: Reply[] = [
      { status: 200, body: [production] },
      { status: 201, body: github(7, withToken) },
    ];
    const host = await apiServer(...replies);
    const { code, text: out } = await hook(at, host, 'create --environment staging');
    expect([code, host.received.map(({ method }) => method)]).toEqual([0, ['GET', 'POST']]);
    expect(out).not.toContain('Removed');
    expect([...at.tokens]).toEqual([base, staging]);
    await hook(at, await apiServer({ status: 200, body: [production] }, { status: 204, body: '' }), 'remove');
    expect([...at.tokens]).toEqual([]);
  });

  it('gets a new one when it is created again, and the one before is revoked after that', async () => {
    const [base, other] = ['webhook github octo+hello', 'webhook github octo+hello-world'];
    const at = await service([base, other]);
    const earlier = github(6, `${at.url}/1/deploy`);
    const replies: Reply[] = [
      { status: 200, body: [earlier] },
      { status: 201, body: github(7, withToken) },
      { status: 204, body: '' },
    ];
    const { text: out } = await hook(at, await apiServer(...replies));
    expect(out).toContain(`Revoked: the API token "${base}" of the webhook before`);
    expect(at.calls).toEqual([`make ${base} 2`, `revoke ${base}`]);
    expect([...at.tokens]).toEqual([other, `${base} 2`]);
  });

  it('takes its token with it when it is removed, or says that the token stays', async () => {
    const [base, other] = ['webhook github octo+hello', 'webhook github octo+hello-world'];
    const at = await service([`${base} 2`, other]);
    const found = (url: string) => ({ status: 200, body: [github(7, `${url}/1/deploy`)] });
    const removed = await hook(at, await apiServer(found(at.url), { status: 204, body: '' }), 'remove');
    expect([removed.code, removed.text]).toEqual([0, expect.stringContaining(`Revoked: its API token "${base} 2"`)]);
    expect([removed.err, [...at.tokens]]).toEqual(['', [other]]);

    const closed = await server((_, response) => void response.writeHead(503).end('{}'));
    const kept = await hook({ url: closed }, await apiServer(found(closed), { status: 204, body: '' }), 'remove');
    expect([kept.code, kept.err]).toEqual([0, expect.stringContaining('stays valid')]);
  });

  it('revokes no token while it is still at the host', async () => {
    const at = await service(['webhook github octo+hello']);
    const refusing = await apiServer({ status: 200, body: [github(7, `${at.url}/1/deploy`)] }, { status: 403 });
    expect([(await hook(at, refusing, 'remove')).code, at.tokens.size]).toEqual([1, 1]);
  });

  it('leaves no token behind when the host refuses it, and makes no webhook when there is no token', async () => {
    const at = await service([]);
    const { code, err } = await hook(at, await apiServer({ status: 200, body: [] }, { status: 500 }));
    const calls = at.calls.filter((one) => !one.startsWith('deploy'));
    expect([code, calls]).toEqual([1, ['make webhook github octo+hello', 'revoke webhook github octo+hello']]);
    expect(err).toContain('answered 500');

    const closed = await server((_, response) => void response.writeHead(503).end('{}'));
    const host = await apiServer({ status: 200, body: [] });
    expect((await hook({ url: closed }, host)).code).toBe(1);
    expect(host.received).toHaveLength(1);
  });
});

describe('The URL of an endpoint', () => {
  it('is recognised with any login, branch and trailing slash', () => {
    const options = { service: 'https://deploy.example.com/live' };
    for (const own of ['/1/deploy', '', '/', '/1/deploy/?branch=x']) {
      expect(isEndpoint(`https://a:b@deploy.example.com/live${own}`, options)).toBe(true);
    }
    for (const other of ['https://deploy.example.com/1/deploy', 'https://evil.test/live/1/deploy', 'nothing', '']) {
      expect(isEndpoint(other, options)).toBe(false);
    }
  });

  it('is shown without its password', () => {
    expect(withoutSecret(stored)).not.toContain('canary');
    expect(withoutSecret('canary')).toBe('(no address)');
  });
});
