import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../lib/http/ports.ts';
import { cli } from '../support/cli.ts';
import { caddyVersion, type RunningCaddy, startCaddy } from '../support/service/caddy.ts';
import { application, gitFolder } from '../support/service/git-folder.ts';
import { type Started, startEngineForTest } from '../support/service/started.ts';

/** Reads each body to its end; knows how many requests are open. */
const SHOP = `let open = 0;
require('node:http').createServer((request, response) => {
  open += 1;
  response.on('close', () => { open -= 1; });
  const answers = {
    '/never': () => {},
    '/first': () => response.write('first'),
    '/open': () => response.end(String(open - 1)),
    '/headers': () => response.end(JSON.stringify(request.headers)),
  };
  const answer = answers[request.url] ?? (() => request.resume().on('end', () => response.end('the shop')));
  answer();
}).listen(process.env.PORT, process.env.HOST);
`;
const HOST = 'shop.demo.apps.test';
const OTHER = 'other.demo.apps.test';
/** Requests to the other application after each fault, besides those that go on all the time. */
const AFTER_EACH = 10;
const CLIENTS = 20;

describe('Caddy with the configuration of "hooks server --caddy"', () => {
  let started: Started;
  let caddy: RunningCaddy;
  let port: number;

  beforeAll(async () => {
    if (caddyVersion === undefined) throw new Error('Caddy is not installed: apt-get install caddy');
    port = await freePort();
    started = await startEngineForTest(
      'caddy',
      {},
      { appsDomain: 'apps.test', publicUrl: `https://deploy.apps.test:${port}` },
    );
    const { login, repoHost, url } = started.service;
    const apps = { shop: { ...application('shop', ''), 'server.js': SHOP }, other: application('other', 'the other') };
    for (const [name, files] of Object.entries(apps)) {
      const tree = gitFolder(repoHost.cloneUrl('demo', name).replace('//', `//demo:${login.password}@`));
      tree.commit(files);
      expect(await tree.pushAndWatch()).toMatch(/live after/);
    }
    const printed = await cli('server --caddy', { env: { DATA_DIR: started.dataDir, PORT: new URL(url).port } });
    caddy = await startCaddy(printed.out, port);
    // One after the other: Caddy may refuse one of two names that get their certificates at the same moment.
    for (const host of [HOST, OTHER]) await text(await get(host));
  });
  afterAll(async () => {
    await caddy?.stop();
    await started?.close();
  });

  const tls = (servername: string) => ({ host: '127.0.0.1', port, servername, ca: caddy.ca });
  const get = (host: string, path = '/', headers = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { ...tls(host), path, agent: false, headers: { host: `${host}:${port}`, ...headers } };
      request(options, resolve).once('error', reject).end();
    });
  const read = async (path: string, headers = {}) => text(await get(HOST, path, headers));

  /** Sends bytes over HTTP/1.1; leaves at once, or when the answer has come. */
  async function send(bytes: string, leaves: boolean): Promise<void> {
    const socket: TLSSocket = tlsConnect({ ...tls(HOST), ALPNProtocols: ['http/1.1'] });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    await new Promise<void>((resolve) => void socket.write(bytes, () => resolve()));
    if (!leaves) await once(socket, 'data');
    socket.destroy();
  }

  /** Begins a request over HTTP/2, with a part of its body, and ends it as the fault does. */
  async function begin(
    headers: object,
    fault: (stream: ReturnType<ClientHttp2Session['request']>) => void,
  ): Promise<void> {
    const session = connectHttp2(`https://${HOST}:${port}`, tls(HOST)).on('error', () => {});
    await once(session, 'connect');
    const stream = session.request({ ':method': 'POST', ':path': '/', ':authority': `${HOST}:${port}`, ...headers });
    stream.on('error', () => {}).resume();
    const closed = new Promise((resolve) => stream.once('close', resolve));
    await new Promise((resolve) => stream.write('four', resolve));
    fault(stream);
    await closed;
    session.destroy();
  }

  const head = (method: string, length: string, path = '/') =>
    `${method} ${path} HTTP/1.1\r\nhost: ${HOST}\r\n${length}\r\n\r\n`;
  const chunked = (method: string) => head(method, 'transfer-encoding: chunked');
  const NGHTTP2_CANCEL = 8;
  const faults: Readonly<Record<string, () => Promise<unknown>>> = {
    'a broken chunk': () => send(`${chunked('GET')}zz\r\n`, false),
    'two POSTs with a broken chunk': () =>
      Promise.all([send(`${chunked('POST')}zz\r\n`, false), send(`${chunked('POST')}zz\r\n`, false)]),
    'a chunk that is longer than its size': () => send(`${chunked('POST')}1\r\nlonger\r\n`, false),
    'a client that leaves in a chunk': () => send(`${chunked('POST')}ff\r\nfour`, true),
    'a client that leaves before the end of its body': () => send(`${head('POST', 'content-length: 1000')}four`, true),
    'a client that leaves before the answer': () => send(head('GET', 'x: y', '/never'), true),
    'a client that leaves in the answer': () => send(head('GET', 'x: y', '/first'), false),
    'HTTP/2: a body that is cancelled': () => begin({}, (stream) => stream.close(NGHTTP2_CANCEL)),
    'HTTP/2: two bodies that are cancelled': () =>
      Promise.all([1, 2].map(() => begin({}, (stream) => stream.close(NGHTTP2_CANCEL)))),
    'HTTP/2: a body that is shorter than its length': () => begin({ 'content-length': 1000 }, (stream) => stream.end()),
    'HTTP/2: a body that is longer than its length': () =>
      begin({ 'content-length': 5 }, (stream) => stream.end('more')),
    'HTTP/2: a connection that ends in a body': () => begin({}, ({ session }) => session?.destroy()),
    'HTTP/2: an answer that nobody waits for': () =>
      begin({ ':path': '/never' }, (stream) => stream.close(NGHTTP2_CANCEL)),
  };

  it('refuses no other application for a moment, whatever a client breaks', async () => {
    const counts: Record<string, number> = {};
    const ask = async () => {
      const answer = await get(OTHER);
      const status = (await text(answer)) === 'the other' ? 'served' : `refused with ${answer.statusCode}`;
      counts[status] = (counts[status] ?? 0) + 1;
    };
    const faultsOneByOne = async () => {
      for (const fault of Object.values(faults)) {
        await fault();
        for (let time = 0; time < AFTER_EACH; time += 1) await ask();
      }
    };
    let isOver = false;
    const meanwhile = async () => {
      while (!isOver) await ask();
    };
    const all = faultsOneByOne().finally(() => {
      isOver = true;
    });
    await Promise.all([all, meanwhile()]);
    console.log(`caddy: ${Object.keys(faults).length} faults, the other application: ${JSON.stringify(counts)}`);
    expect(Object.keys(counts)).toEqual(['served']);
    expect(counts.served).toBeGreaterThan(Object.keys(faults).length * AFTER_EACH);
  });

  it('ends the requests of clients that have left', async () => {
    for (let time = 0; time < CLIENTS; time += 1) await send(head('GET', 'x: y', '/never'), true);
    await begin({ ':path': '/never' }, (stream) => stream.close(NGHTTP2_CANCEL));
    await expect.poll(() => read('/open'), { timeout: 10_000 }).toBe('0');
  });

  it('passes each part of an answer on at once', async () => {
    const answer = await get(HOST, '/first');
    const [part] = await once(answer, 'data');
    expect(String(part)).toBe('first');
    answer.destroy();
  });

  it('passes nothing on that a client says about its own client', async () => {
    const forged = [
      'forwarded',
      'x-real-ip',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-port',
      'x-forwarded-proto',
    ];
    const names = [...forged, 'x-forwarded-user', 'x-forwarded-prefix'];
    const headers = JSON.parse(await read('/headers', Object.fromEntries(names.map((name) => [name, 'forged']))));
    expect(JSON.stringify(headers)).not.toContain('forged');
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': `${HOST}:${port}`,
      'x-forwarded-port': String(port),
      'x-forwarded-proto': 'https',
      'x-real-ip': '127.0.0.1',
    });
  });
});
