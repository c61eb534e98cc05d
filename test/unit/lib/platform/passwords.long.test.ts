import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { basicHeader } from '../../../../functions/core/basic-auth.ts';
import { derived } from '../../../support/cheap-passwords.ts';
import {
  afterwards,
  appFiles,
  appOf,
  build,
  deploy,
  hello,
  logsOf,
  type PlatformUnderTest,
  platform,
  serverFile,
  start,
} from '../../../support/platform/harness.ts';

const RIGHT = 'correct:horse é';
const login = { authorization: basicHeader(`anybody:${RIGHT}`) };
const wrong = (text = 'wrong') => ({ authorization: basicHeader(`anybody:${text}`) });

/** Answers with the headers that it has got, also to a WebSocket. */
const SHOWS = `const server = require('node:http').createServer((q, s) => s.end(JSON.stringify(q.rawHeaders)));
server.on('upgrade', (q, socket) => socket.end('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nX-Got: ' + q.rawHeaders.join('|') + '\\r\\n\\r\\n'));
server.listen(process.env.PORT, process.env.HOST);`;

interface Asked {
  readonly host?: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: OutgoingHttpHeaders | readonly string[];
}

interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function ask(url: string, { host = new URL(url).host, method = 'GET', body, headers = {} }: Asked = {}) {
  return new Promise<Answered>((resolve, reject) => {
    const all = Array.isArray(headers) ? ['host', host, ...headers] : { host, ...headers };
    const asking = request(url, { method, headers: all as OutgoingHttpHeaders, agent: false });
    asking.once('response', async (answer) => {
      resolve({ status: answer.statusCode, headers: answer.headers, body: await text(answer) });
    });
    asking.once('upgrade', ({ statusCode: status, headers: sent }, socket) => {
      socket.destroy();
      resolve({ status, headers: sent, body: '' });
    });
    asking.once('error', reject).end(body);
  });
}

const statusOf = async (url: string, asked?: Asked) => (await ask(url, asked)).status;

describe('An application with a password', () => {
  let at: PlatformUnderTest;
  let url: string;
  const byName = (asked: Asked = {}) => ask(at.url, { host: 'hello.ada.localhost', ...asked });
  const set = (password: string | null, app = 'hello') => at.passwords.set(appOf(app), app, password);

  beforeEach(async () => {
    at = await platform();
    ({ url } = await deploy(at, 'hello', '1', appFiles('hello', SHOWS)));
    await set(RIGHT);
  });

  it('asks for it at its own port and at its names, requests of each kind and WebSockets', async () => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
    for (const [address, host] of [
      [url, new URL(url).host],
      [at.url, 'hello.ada.localhost'],
    ] as const) {
      for (const headers of [{}, wrong(), { authorization: 'Bearer x' }, { authorization: 'Basic ????' }, wrong('')]) {
        for (const asked of [{ headers }, { headers, method: 'POST', body: 'x'.repeat(300_000) }]) {
          const { status, headers: sent, body } = await ask(address, { host, ...asked });
          expect([status, sent['www-authenticate']]).toEqual([401, 'Basic realm="hello"']);
          expect(body).toBe('{"error":"hello asks for a password."}\n');
        }
        expect(await statusOf(address, { host, headers: { ...upgrade, ...headers } })).toBe(401);
      }
      expect(await statusOf(address, { host, headers: login })).toBe(200);
      expect(await statusOf(address, { host, method: 'POST', body: 'a', headers: login })).toBe(200);
      expect(await statusOf(address, { host, headers: { ...upgrade, ...login } })).toBe(101);
    }
    const page = await byName({ headers: { accept: 'text/html' } });
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.body).toContain('hello asks for a password.');
    expect(await byName({ method: 'HEAD' })).toMatchObject({ status: 401, body: '' });
  });

  it('lets in with any user name, and does not see what has let in', async () => {
    for (const user of ['', 'anybody', 'ädä']) {
      const headers = { authorization: basicHeader(`${user}:${RIGHT}`) };
      expect(await statusOf(url, { headers })).toBe(200);
    }
    const twice = ['Authorization', login.authorization, 'x-own', 'kept', 'AUTHORIZATION', login.authorization];
    const { status, body } = await byName({ headers: twice });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toContain('kept');
    expect(body.toLowerCase()).not.toContain('authorization');
    const got = await ask(url, { headers: { connection: 'Upgrade', upgrade: 'websocket', ...login } });
    expect(String(got.headers['x-got']).toLowerCase()).not.toContain('authorization');
  });

  it('asks for it also when a call of before is sent again, as after a kill of the runner', async () => {
    let again = async () => {};
    at = await platform({
      runner: (runner) => ({
        ...runner,
        apply: (app, act) => {
          if (act?.is === 'start') again = async () => void (await runner.apply(app, act));
          return runner.apply(app, act);
        },
      }),
    });
    ({ url } = await deploy(at, 'hello', '1', appFiles('hello', SHOWS)));
    await set(RIGHT);
    await again();
    expect(await statusOf(url)).toBe(401);
  });

  it('has its own Authorization again without one', async () => {
    await set(null);
    const { status, body } = await byName({ headers: { authorization: 'Bearer x' } });
    expect([status, JSON.parse(body)]).toEqual([200, expect.arrayContaining(['Bearer x'])]);
  });

  it('keeps it over a deploy, a rollback, another name and a restart, and has a new one at once', async () => {
    const both = async (password = RIGHT, host = 'hello.ada.localhost') => [
      await statusOf(at.url, { host }),
      await statusOf(at.url, { host, headers: wrong(password) }),
    ];
    await deploy(at, 'hello', '2', appFiles('hello', serverFile('2')));
    expect(await both()).toEqual([401, 200]);
    await start(at, 'hello', '1');
    expect(await both()).toEqual([401, 200]);
    await at.operations.rename(hello, 'store');
    const ofStore = (password?: string) => both(password, 'store.ada.localhost');
    await expect.poll(() => ofStore()).toEqual([401, 200]);
    const { dataDir } = at;
    await at.close();
    at = await platform({ dataDir });
    await expect.poll(() => ofStore()).toEqual([401, 200]);
    await set('battery staple', 'store');
    expect([await ofStore(), await ofStore('battery staple')]).toEqual([
      [401, 401],
      [401, 200],
    ]);
  });

  it('asks for one that it has got while it was started for the first time', async () => {
    const files = appFiles('slow', `console.log('begun'); setTimeout(() => {${serverFile('up')}}, 1500)`);
    await build(at, 'slow', '1', files);
    const host = 'slow.ada.localhost';
    const starting = start(at, 'slow', '1');
    await expect.poll(() => logsOf(at, { app: 'slow' })).toContain('begun');
    await set(RIGHT, 'slow');
    await starting;
    expect([await statusOf(at.url, { host }), await statusOf(at.url, { host, headers: login })]).toEqual([401, 200]);
  });

  it('is asked for before a redirect has led to it only', async () => {
    at = await platform({
      publicDomain: { domain: 'apps.example.com', protocol: 'https:', port: '' },
      publicService: { protocol: 'https:', port: '', names: ['deploy.apps.example.com'] },
      lookup: async () => [],
    });
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('served')));
    for (const name of ['shop.example.com', 'www.shop.example.com']) await at.domains.add(hello, name);
    await at.domains.add(hello, 'www.shop.example.com', 'shop.example.com');
    await set(RIGHT);
    expect(await statusOf(at.url, { host: 'www.shop.example.com' })).toBe(308);
    expect(await statusOf(at.url, { host: 'shop.example.com' })).toBe(401);
    expect(await statusOf(at.url, { host: 'shop.example.com', headers: login })).toBe(200);
  });

  it('is not woken by those who are not let in', async () => {
    const app = appOf('sleepy');
    await at.hosting.ensureApp(app, { name: 'sleepy' }, { maySleep: true });
    await deploy(at, 'sleepy', '1', appFiles('sleepy', serverFile('awake')));
    await set(RIGHT, 'sleepy');
    const { dataDir } = at;
    await at.close();
    // After a restart it is asleep.
    at = await platform({ dataDir });
    const host = 'sleepy.ada.localhost';
    const state = async () => (await at.applications.find(app))?.state;
    await expect.poll(state).toBe('asleep');
    expect([await statusOf(at.url, { host, headers: wrong() }), await state()]).toEqual([401, 'asleep']);
    expect([await statusOf(at.url, { host, headers: login }), await state()]).toEqual([200, 'running']);
  });

  it('costs one hash for all who know it, and few at once for those who guess; others do not wait for them', async () => {
    const other = await deploy(at, 'other', '1', appFiles('other', serverFile('other')));
    await set(RIGHT, 'other');
    const before = derived.length;
    const right = Array.from({ length: 50 }, (_, at) => ({ authorization: basicHeader(`visitor-${at}:${RIGHT}`) }));
    const statuses = await Promise.all(right.map((headers) => statusOf(url, { headers })));
    expect([new Set(statuses), derived.length - before]).toEqual([new Set([200]), 1]);

    const guesses = await Promise.all(Array.from({ length: 200 }, (_, at) => ask(url, { headers: wrong(`no ${at}`) })));
    const refused = guesses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers['retry-after']).toBe('2');
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const during = Promise.all(Array.from({ length: 200 }, (_, at) => statusOf(url, { headers: wrong(`${at}`) })));
    expect(await statusOf(url, { headers: login })).toBe(200);
    expect(await statusOf(other.url, { headers: login })).toBe(200);
    afterwards(() => during);
  });

  it('gives it to its previews', async () => {
    const preview = appOf('hello-pr-1');
    await at.hosting.ensureApp(preview, { name: 'hello-pr-1' }, { maySleep: true, previewOf: 'hello' });
    const { url: address } = await deployPreview();
    expect([await statusOf(address), await statusOf(address, { headers: login })]).toEqual([401, 200]);
    await set(null);
    expect([await statusOf(url), await statusOf(address)]).toEqual([200, 200]);
  });

  async function deployPreview() {
    const ref = { ...appOf('hello-pr-1'), snapshot: '1' };
    await build(at, 'hello-pr-1', '1', appFiles('hello-pr-1', serverFile('preview')));
    await at.hosting.start(ref);
    return start(at, 'hello-pr-1', '1');
  }
});
