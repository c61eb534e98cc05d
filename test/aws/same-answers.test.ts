import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeHost, fakeHost } from '../support/service/fake-host.ts';
import { application } from '../support/service/git-folder.ts';
import { type Reached, type Started, startEngineForTest } from '../support/service/started.ts';
import { commitTarball } from '../support/service/tarballs.ts';
import { startStackInstead } from './service/started.ts';

/** Where and who the service under test is, and what earlier answers said. */
interface Seen {
  readonly user: string;
  /** The address of the entry of the first deploy, without that of the service. */
  entry: string;
}

/** A request of the contract. */
interface Asked {
  readonly title: string;
  readonly method?: string;
  readonly path: string | ((seen: Seen) => string);
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `user:password`; null for none; the service's first user by default. */
  readonly login?: string | null;
  /** API Gateway answers it by itself, with a text that does not name the path. */
  readonly ownText?: boolean;
  /** An application on AWS Lambda has no domains and no processes. */
  readonly onlyOnOneMachine?: true;
  /** Asks twice, the second time with the first answer's `ETag`. */
  readonly again?: boolean;
}

/** The headers that the contract names, and those with which pages of other sites work. */
const HEADERS = [
  'content-type',
  'x-api-version',
  'www-authenticate',
  'allow',
  'location',
  'link',
  'retry-after',
  'preference-applied',
  'cache-control',
  'vary',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-max-age',
  'content-security-policy',
];

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const push = { ...json, 'x-github-event': 'push' };
const origin = 'https://dash.example.com';
const onlyOnOneMachine = { onlyOnOneMachine: true } as const;
const megabytes = (count: number) => `{"filler":"${'x'.repeat(count * 1024 * 1024)}"}`;
const preflight = (method: string) => ({
  origin,
  'access-control-request-method': method,
  'access-control-request-headers': 'authorization',
});

describe('the engine and the stack', () => {
  let services: readonly [Started<Reached>, Started<Reached>];
  let host: FakeHost;
  let payload: string;
  let asked: readonly Asked[];

  beforeAll(async () => {
    host = await fakeHost();
    const files = application('same', 'the same');
    payload = JSON.stringify(host.push('same', { files, tarball: await commitTarball(files) }));
    asked = requests(payload);
    const settings = {
      repositoryHosts: [{ name: 'fake', kind: 'github' as const, api: host.url, web: host.url }],
      retryBaseSeconds: 0,
    };
    const config = { allowedOrigins: [origin] };
    services = await Promise.all([
      startEngineForTest('same-engine', settings, config),
      startStackInstead('same', settings, config),
    ]);
    // The first deploy starts each function, and would not end in the seconds that a caller may wait for one.
    const others = application('first', 'first');
    const first = host.push('first', { files: others, tarball: await commitTarball(others) });
    const deploys = services.map(async ({ hook, until }) => until((await hook(first, push)).body.id, 'ok'));
    await Promise.all(deploys);
  });
  afterAll(async () => {
    await Promise.all((services ?? []).map((one) => one.close()));
    await host.close();
  });

  it('answer every request of the contract in the same way', async () => {
    const [engine = [], stack = []] = await Promise.all(services.map((one) => answersOf(one, asked)));
    const refused = new Set(asked.flatMap(({ title, onlyOnOneMachine }) => (onlyOnOneMachine ? [title] : [])));
    const compared = (answers: readonly Answer[]) => byTitle(answers.filter(({ title }) => !refused.has(title)));
    expect(compared(stack)).toEqual(compared(engine));
    for (const one of stack.filter(({ title }) => refused.has(title)))
      expect(one).toMatchObject({ status: 501, body: { code: 'request:not_supported' } });
    // So that neither refuses everything: each status that the contract has for one machine is among them.
    const statuses = new Set(engine.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 201, 202, 204, 304, 400, 401, 404, 405, 409, 413]);
    expect(new Set(asked.map((one) => one.title)).size).toBe(asked.length);
  });

  it.each(['/live', '/live/'])(
    'answer a browser at the address that a deploy to AWS prints, opened as %s, with a page whose files are there',
    async (path) => {
      const [, stack] = services;
      const page = await atOwnDomain(stack.service.url, path);
      expect(page.status).toBe(200);
      const files = [...page.body.matchAll(/ (?:src|href)="([^"]*\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        // As a browser does.
        const { pathname } = new URL(file, `https://${OWN_DOMAIN}${path}`);
        expect([pathname, (await atOwnDomain(stack.service.url, pathname)).status]).toEqual([pathname, 200]);
      }
      expect((await atOwnDomain(stack.service.url, '/')).status).toBeGreaterThanOrEqual(400);
    },
  );
});

/** A domain name that AWS gives an API; paths begin with the stage there. */
const OWN_DOMAIN = 'abc123.execute-api.us-east-1.amazonaws.com';

function atOwnDomain(address: string, path: string): Promise<{ readonly status: number; readonly body: string }> {
  const headers = { host: OWN_DOMAIN, accept: 'text/html,*/*' };
  return new Promise((resolve, reject) => {
    get(`${address}${path}`, { headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    }).on('error', reject);
  });
}

function byTitle(answers: readonly Answer[]): Readonly<Record<string, Answer>> {
  return Object.fromEntries(answers.map((one) => [one.title, one]));
}

const status = (rest: string) => (seen: Seen) => `/1/status/${seen.user}/${rest}`;
const apps = (rest: string) => (seen: Seen) => `/1/apps/${seen.user}${rest}`;
const entry = (rest: string) => (seen: Seen) => `${seen.entry}${rest}`;
const noEntry = `changes/${'0'.repeat(32)}`;

/** Every route, in an order in which each request finds what the ones before have made. */
function requests(payload: string): readonly Asked[] {
  const hook = { method: 'POST', path: '/1/deploy?branch=main', headers: push, body: payload } as const;
  const without = { ...hook, login: null };
  return [
    { title: 'a push, waited for', ...hook, headers: { ...push, 'x-github-delivery': '1', prefer: 'wait=25' } },
    { title: 'the same delivery again', ...hook, headers: { ...push, 'x-github-delivery': '1' } },
    { title: 'another branch', ...hook, path: '/?branch=other' },
    { title: 'a ping', ...hook, headers: { ...json, 'x-github-event': 'ping' }, body: '{"zen":"Keep it."}' },
    {
      title: 'a form',
      ...hook,
      path: '/1/deploy?branch=other',
      headers: { ...push, ...form },
      body: `payload=${encodeURIComponent(payload)}`,
    },
    { title: 'JSON that says it is a form', ...hook, path: '/1/deploy?branch=other', headers: { ...push, ...form } },
    { title: 'a trailing slash', ...hook, path: '/1/deploy/?branch=other' },
    { title: 'no body', ...hook, body: '' },
    { title: 'bad JSON', ...hook, body: '{"ref": ' },
    { title: 'an unknown sender', ...hook, headers: json, body: '{"some":"payload"}' },
    { title: 'a bad branch', ...hook, path: '/1/deploy?branch=a%20b' },
    { title: 'the last refused call', path: status('refused') },
    { title: 'a body over the limit', ...hook, body: megabytes(5.1) },
    { title: 'a body over the limit of the gateway', ...hook, body: megabytes(11) },
    { title: 'no login at the webhook', ...without },
    { title: 'a wrong login at the webhook', ...hook, login: 'nobody:wrong' },
    { title: 'a login that is none', ...without, headers: { ...push, authorization: 'Bearer x' } },
    { title: 'a webhook with GET', path: '/1/deploy' },
    { title: 'a webhook with DELETE, without a login', method: 'DELETE', path: '/1/deploy', login: null },

    { title: 'the log', path: status('webhooks') },
    { title: 'a page of the log', path: status('webhooks?limit=2&skip=1') },
    { title: 'a page after the end', path: status('webhooks?skip=1000') },
    { title: 'the log with documents', path: status('webhooks?limit=1&skip=4&include_docs=true') },
    { title: 'the log of an application', path: status('webhooks/same') },
    { title: 'the log with a trailing slash', path: status('webhooks/?limit=1') },
    { title: 'the log with a bad limit', path: status('webhooks?limit=101') },
    { title: 'the log without a login', path: status('webhooks'), login: null },
    { title: 'the log with a wrong login', path: status('webhooks'), login: 'nobody:wrong' },
    { title: "another user's log", path: '/1/status/somebody/webhooks' },
    { title: 'the log with PUT', method: 'PUT', path: status('webhooks') },

    { title: 'an entry', path: entry('') },
    { title: 'an entry with its document', path: entry('?include_docs=true') },
    { title: 'no entry', path: status(noEntry) },
    { title: 'an id that is none', path: status('changes/none') },
    { title: "another user's entry", path: `/1/status/somebody/${noEntry}` },
    { title: 'the build log', path: entry('/build-log') },
    { title: 'the build log of no entry', path: status(`${noEntry}/build-log`) },
    { title: 'a release of what is not held', method: 'POST', path: entry('/release') },
    { title: 'a cancellation of what has ended', method: 'POST', path: entry('/cancel') },
    { title: 'a cancellation of no entry', method: 'POST', path: status(`${noEntry}/cancel`) },

    { title: 'all changes', path: status('changes?feed=normal&since=0') },
    { title: 'changes of an application', path: status('changes?feed=normal&since=0&app=same&include_docs=auto') },
    { title: 'no more changes', path: status('changes?feed=normal&since=1000') },
    { title: 'two changes, as they come', path: status('changes?since=0&limit=2') },
    {
      title: 'two changes as events',
      path: status('changes?since=0&limit=2'),
      headers: { accept: 'text/event-stream', 'last-event-id': '1' },
    },
    { title: 'the first changes of a long poll', path: status('changes?feed=longpoll&since=0&limit=3') },
    { title: 'changes with a bad position', path: status('changes?since=never') },
    { title: 'changes without a login', path: status('changes'), login: null },
    { title: "another user's changes", path: '/1/status/somebody/changes' },

    { title: 'the applications', path: apps('') },
    { title: 'an application', path: apps('/same') },
    { title: 'no application', path: apps('/none') },
    { title: "another user's applications", path: '/1/apps/somebody' },
    { title: 'a variable', method: 'PUT', path: apps('/same/env/GREETING?restart=false'), body: '{"value":"hello"}' },
    { title: 'the names of variables', path: apps('/same/env') },
    { title: 'the variables', path: apps('/same/env?values=true') },
    { title: 'variables', method: 'PATCH', path: apps('/same/env?restart=false'), body: '{"PAGES":"2","GONE":null}' },
    { title: 'no variable any more', method: 'DELETE', path: apps('/same/env/GREETING?restart=false') },
    { title: 'no domains', path: apps('/same/domains'), ...onlyOnOneMachine },
    { title: 'a domain', method: 'PUT', path: apps('/same/domains/Shop.invalid'), ...onlyOnOneMachine },
    { title: 'a domain that is none', method: 'PUT', path: apps('/same/domains/localhost') },
    { title: 'no domain any more', method: 'DELETE', path: apps('/same/domains/shop.invalid'), ...onlyOnOneMachine },
    { title: 'variables of no application', path: apps('/none/env') },
    { title: 'processes of no application', path: apps('/none/processes') },
    {
      title: 'a scale of no process',
      method: 'PATCH',
      path: apps('/same/processes'),
      body: '{"mailer":1}',
      ...onlyOnOneMachine,
    },
    { title: 'a scale that is none', method: 'PATCH', path: apps('/same/processes'), body: '[2]' },
    { title: 'a command that is none', method: 'POST', path: apps('/same/runs'), body: '{"command":"ls"}' },
    { title: 'the output of no command', path: apps('/same/runs/none') },
    {
      title: 'input of no command',
      method: 'POST',
      path: apps('/same/runs/none'),
      body: '{"end":true}',
    },
    { title: 'the output with bad lines', path: apps('/same/logs?lines=none') },
    { title: 'the output of no application', path: apps('/none/logs') },
    { title: 'a rollback to nothing', method: 'POST', path: apps('/same/rollback') },
    { title: 'a deploy of no ref', method: 'POST', path: apps('/same/deploy?ref=a%20b') },
    { title: 'a restart of no application', method: 'POST', path: apps('/none/restart') },
    { title: 'a restart', method: 'POST', path: apps('/same/restart'), headers: { prefer: 'wait=25' } },
    { title: 'a stop', method: 'POST', path: apps('/same/stop'), headers: { prefer: 'wait=25' } },
    { title: 'an application that is stopped', path: apps('/same') },
    { title: 'an application with PATCH', method: 'PATCH', path: apps('/same') },

    { title: 'a token', method: 'POST', path: '/1/auth/tokens', headers: json, body: '{"name":"one"}' },
    { title: 'the token again', method: 'POST', path: '/1/auth/tokens', headers: json, body: '{"name":"one"}' },
    { title: 'the tokens', path: '/1/auth/tokens' },
    { title: 'the end of a token', method: 'DELETE', path: '/1/auth/tokens/one' },
    { title: 'the end of no token', method: 'DELETE', path: '/1/auth/tokens/one' },
    { title: 'pairing without credentials', method: 'POST', path: '/1/auth/repohost', headers: json, body: '{}' },
    {
      title: 'pairing that the host refuses',
      method: 'POST',
      path: '/1/auth/repohost?app=same',
      headers: json,
      body: '{"credentials":"ann:wrong:password"}',
    },
    { title: 'the pairing', path: '/1/auth/repohost' },
    { title: 'the end of no pairing', method: 'DELETE', path: '/1/auth/repohost' },

    { title: 'the badge', path: (seen) => `/1/badge/${seen.user}/same.svg`, login: null },
    { title: 'the short badge', path: (seen) => `/${seen.user}/same.svg`, login: null },
    { title: 'the badge of nobody', path: '/1/badge/nobody/nothing.svg', login: null },
    { title: 'a badge that is not an image', path: '/1/badge/nobody/nothing', login: null },
    { title: 'a badge that has not changed', path: '/1/badge/nobody/nothing.svg', login: null, again: true },
    { title: 'the page', path: '/', headers: { accept: 'text/html' }, login: null },
    { title: 'the service', path: '/', login: null },
    { title: 'a file of the page that is not there', path: '/assets/none.js', login: null },
    { title: 'the senders', path: '/1/senders', login: null },
    { title: 'the errors', path: '/errors', login: null },
    { title: 'the errors, for people', path: '/errors', headers: { accept: 'text/html' }, login: null },
    { title: 'the description', path: '/1/openapi.json', login: null },
    { title: 'the description that has not changed', path: '/1/openapi.json', login: null, again: true },
    { title: 'the description, for people', path: '/1/openapi', headers: { accept: 'text/html' }, login: null },

    ...['/1', '/nothing', '/2/deploy', '/1/deploy/more'].map((path) => ({
      title: `nothing at ${path}`,
      path,
      login: null,
      ownText: true,
    })),
    { title: 'nothing, with a login', path: '/1/nothing/at/all', ownText: true },
    { title: 'nothing to send to', method: 'POST', path: '/1/nothing', body: 'x' },
    { title: 'errors with POST', method: 'POST', path: '/errors', login: null },
    { title: 'a badge with PUT', method: 'PUT', path: '/1/badge/nobody/nothing.svg', login: null },

    { title: 'a preflight', method: 'OPTIONS', path: status('webhooks'), headers: preflight('GET'), login: null },
    {
      title: 'a preflight of another page',
      method: 'OPTIONS',
      path: '/1/deploy',
      headers: { ...preflight('POST'), origin: 'https://other.example.com' },
      login: null,
    },
    {
      title: 'a preflight for an unknown method',
      method: 'OPTIONS',
      path: '/1/deploy',
      headers: preflight('PUT'),
      login: null,
    },
    { title: 'a request of a page', path: status('webhooks?limit=1'), headers: { origin } },
    {
      title: 'a request of another page',
      path: status('webhooks?limit=1'),
      headers: { origin: 'https://other.example.com' },
    },
    { title: 'a refused request of a page', path: status('webhooks'), headers: { origin }, login: null },

    { title: 'the end of the application', method: 'DELETE', path: apps('/same'), headers: { prefer: 'wait=25' } },
    { title: 'the applications without it', path: apps('') },
    // The last one, because how far it comes depends on the machine.
    { title: 'a push, not waited for', ...hook, headers: { ...push, 'x-github-delivery': '2' } },
  ];
}

/** Sends the requests one after the other, and returns the answers without what differs from start to start. */
async function answersOf(started: Started<Reached>, asked: readonly Asked[]): Promise<readonly Answer[]> {
  const seen: Seen = { user: started.service.login.user, entry: '' };
  const answers: Answer[] = [];
  for (const request of asked) answers.push(await answerOf(started, request, seen));
  return answers;
}

interface Answer {
  readonly title: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function answerOf(started: Started<Reached>, asked: Asked, seen: Seen): Promise<Answer> {
  const { title, method = 'GET', path, headers = {}, body, login, again, ownText } = asked;
  const address = typeof path === 'string' ? path : path(seen);
  const { url, login: own } = started.service;
  const credentials = login === undefined ? `${own.user}:${own.password}` : login;
  const basic = credentials && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  const init = { method, headers: { ...basic, ...headers }, ...(body !== undefined && { body }) };
  let answer = await fetch(`${url}${address}`, init);
  if (again) {
    const headers = { ...init.headers, 'if-none-match': answer.headers.get('etag') ?? '' };
    answer = await fetch(`${url}${address}`, { ...init, headers });
  }
  if (seen.entry === '') seen.entry = new URL(answer.headers.get('location') ?? '').pathname;
  const uuid = answer.headers.get('x-api-uuid') ?? '';
  expect([title, uuid]).toEqual([title, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  const text = await answer.text();
  const named = HEADERS.flatMap((name) => {
    const value = answer.headers.get(name);
    // API Gateway gives an answer without a body a type, and its own answers to programs what a page needs.
    const isNeedless = name === 'content-type' ? text === '' : name.startsWith('access-control') && !headers.origin;
    return value === null || isNeedless ? [] : [[name, value]];
  });
  const isJson = /[/+]json$/.test(answer.headers.get('content-type') ?? '') && text !== '';
  const said = { headers: Object.fromEntries(named), body: isJson ? JSON.parse(text) : text };
  if (ownText) delete said.body.detail;
  const compared = withoutChance(JSON.stringify(said), started.service);
  return { title, status: answer.status, ...(JSON.parse(compared) as Pick<Answer, 'headers' | 'body'>) };
}

/** Replaces what differs from start to start: addresses, passwords, ids, times, durations. */
function withoutChance(text: string, { url }: Reached): string {
  return (
    text
      // Requests and memory of applications are counted on one machine only.
      .replaceAll(/,"used":\{"requests":\d+,"memory":(?:null|\d+)\}/g, '')
      .replaceAll(url, 'BASE')
      .replaceAll(/ws:\/\/127\.0\.0\.1:\d+(?:\/live|\/signals)?/g, 'SIGNALS')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
      // Only one machine has a repository host of its own.
      .replace(/"repositories":"[^"]*",/, '')
      // And a machine.
      .replace(/"machine":\{"memory":\{[^}]*\},"disk":\{[^}]*\}\},/, '')
      .replace(/(name=\\"repositories\\" content=\\")[^"]*(?=\\")/, '$1')
      .replaceAll(/dwt_[\w-]+/g, 'TOKEN')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
      .replaceAll(/(?<![0-9a-f])(?!0{20})[0-9a-f]{20}(?=[0-9]{12}(?![0-9a-f]))/g, 'ID')
  );
}
