import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { listen } from '../../../../lib/http/ports.ts';
import { publicAddresses } from '../../../../lib/local/config/public-addresses.ts';
import type { Config } from '../../../../lib/local/config/schema.ts';
import { hostRouter } from '../../../../lib/local/host-router.ts';
import { answering, keepsWhatFollowsAnOffer, type ServedApi, serveApi } from '../../../support/engine/served-api.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An API whose only answer is "the API", and the programs behind its port. */
async function openDoor(
  platform: Server | null,
  { repositories, config }: { repositories?: Server; config?: Config } = {},
): Promise<ServedApi> {
  const ports = {
    platform: platform && (await listen(platform, 0)),
    repositories: repositories ? await listen(repositories, 0) : 0,
  };
  for (const server of [platform ?? undefined, repositories])
    closers.push(
      () => server?.close(),
      () => server?.closeAllConnections(),
    );
  return serveApi(
    { 'api-page': answering(() => ({ status: 200, headers: {}, body: 'the API' })) },
    {
      otherHosts: hostRouter({
        addresses: publicAddresses(config ?? {}),
        ports: () => ports,
        hasApp: async (host) => host === 'hello.demo.apps.example.com',
        isDomain: (host) => host === 'shop.example.org',
      }),
    },
  );
}

/** A server that tells which host a request was for, and whose. */
function telling(): Server {
  return createServer(({ method, url, headers }, response) => {
    const forwarded = ['for', 'proto', 'port'].map((name) => headers[`x-forwarded-${name}`]);
    const [client, protocol, port] = forwarded;
    response.end(`${method} ${url} for ${headers.host} from ${client} by ${protocol}:${port}`);
  });
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

function get({ port }: ServedApi, host: string, asked: Asked = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, ...asked.headers };
    const sent = request(
      { host: '127.0.0.1', port, agent: false, ...asked, headers },
      async (answer: IncomingMessage) => resolve({ status: answer.statusCode ?? 0, body: await text(answer) }),
    );
    sent.once('error', reject).end();
  });
}

describe('The API and the applications on one port', () => {
  it('a request to <app>.<user>.localhost goes to the application, with its Host', async () => {
    const gateway = await openDoor(telling());
    const host = `hello.demo.localhost:${gateway.port}`;
    expect(await get(gateway, host, { method: 'POST', path: '/orders?a=1' })).toEqual({
      status: 200,
      body: `POST /orders?a=1 for ${host} from 127.0.0.1 by http:${gateway.port}`,
    });
  });

  it('nothing is served under an application’s name when applications answer elsewhere', async () => {
    const gateway = await openDoor(null);
    const host = `hello.demo.localhost:${gateway.port}`;
    expect(await get(gateway, host)).toMatchObject({
      status: 404,
      body: expect.stringContaining('Nothing is served under this name.'),
    });
  });

  it.each(['127.0.0.1:8080', 'localhost:8080', 'demo.localhost', 'api.example.com', 'a.b.localhost.example.com'])(
    'a request to %s goes to the API',
    async (host) => {
      const gateway = await openDoor(telling());
      expect(await get(gateway, host)).toEqual({ status: 200, body: 'the API' });
    },
  );

  it('a domain of an application is not the API, which a tunnel of any name may lead to', async () => {
    const gateway = await openDoor(telling());
    expect((await get(gateway, 'shop.example.org')).body).toContain('GET / for shop.example.org from');
    expect((await get(gateway, 'www.shop.example.org')).body).toBe('the API');
  });

  it('a WebSocket reaches the application', async () => {
    const platform = createServer();
    const sockets = new WebSocketServer({ server: platform });
    sockets.on('connection', (socket, { headers }) => socket.send(`hello from ${headers.host}`));
    const gateway = await openDoor(platform);
    const host = 'hello.demo.localhost';
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/`, { headers: { host } });
    const said = await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
    expect(String(said)).toBe(`hello from ${host}`);
    socket.terminate();
  });

  it('an application is 503 while the platform does not answer', async () => {
    const platform = createServer();
    const gateway = await openDoor(platform);
    await new Promise((done) => platform.close(done));
    expect((await get(gateway, 'hello.demo.localhost')).status).toBe(503);
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/`, { headers: { host: 'hello.demo.localhost' } });
    expect(String(await new Promise((resolve) => socket.once('error', resolve)))).toContain('503');
  });

  it('what a proxy of this machine says about the client reaches the application', async () => {
    const gateway = await openDoor(telling());
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    const { body } = await get(gateway, 'hello.demo.localhost', { headers });
    expect(body).toBe('GET / for hello.demo.localhost from 203.0.113.9 by https:443');
  });
});

/** Sends bytes and returns all that comes back until the connection is closed. */
async function raw({ port }: ServedApi, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(lines.join('\r\n'));
  return text(socket);
}

describe('A request as it reaches an application', () => {
  const host = 'host: hello.demo.localhost';
  /** What `curl --http2` sends. */
  const h2c = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQCAAAAAAIAAAAA'];

  /** Answers with what it got. */
  const echo = () =>
    createServer(async (asked, response) => {
      const { upgrade, 'http2-settings': settings } = asked.headers;
      response.end(JSON.stringify([asked.method, await text(asked), upgrade, settings]));
    });

  it.each([
    ['an application', 'hello.demo.localhost', ['["GET","first",null,null]', '["GET","",null,null]']],
    ['the API', 'localhost', ['the API', 'the API']],
  ])(
    'an offer of another protocol to %s is ignored, and its connection serves the next request',
    async (_, name, [first, second]) => {
      const { port } = await openDoor(echo());
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      closers.push(() => agent.destroy());
      const ask = (body: string) =>
        new Promise((resolve, reject) => {
          const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQ' };
          const headers = { ...offer, host: name, 'content-length': body.length };
          const sent = request({ host: '127.0.0.1', port, agent, headers }, async (got) =>
            resolve([await text(got), sent.reusedSocket]),
          );
          sent.once('error', reject).end(body);
        });
      expect([await ask('first'), await ask('')]).toEqual([
        [first, false],
        [second, true],
      ]);
    },
  );

  const pipelined = it.skipIf(!keepsWhatFollowsAnOffer);
  pipelined('an offer of another protocol is ignored, and so are those behind it in one packet', async () => {
    const gateway = await openDoor(echo());
    const answer = await raw(gateway, [
      ...['POST / HTTP/1.1', host, ...h2c, 'content-length: 5', ''],
      ...['firstPOST / HTTP/1.1', host, ...h2c, 'transfer-encoding: chunked', '', '6', 'second', '0', ''],
      ...['GET / HTTP/1.1', host, 'connection: close', '', ''],
    ]);
    expect(answer.match(/\[.*\]/g)).toEqual([
      '["POST","first",null,null]',
      '["POST","second",null,null]',
      '["GET","",null,null]',
    ]);
  });

  it.each(['Upgrade: websocket', 'X: y'])('two Host headers are refused (%s)', async (more) => {
    const gateway = await openDoor(telling());
    const hosts = [host, 'host: other.demo.localhost'];
    const answer = await raw(gateway, ['GET / HTTP/1.1', ...hosts, more, 'connection: close, upgrade', '', '']);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('has no header that is for this connection only', async () => {
    const seen = createServer((asked, response) => response.end(JSON.stringify(asked.rawHeaders)));
    const gateway = await openDoor(seen);
    const hop = ['proxy-authorization: Basic eDp5', 'proxy-connection: keep-alive', 'te: trailers', 'trailer: x-end'];
    const lines = ['GET / HTTP/1.1', host, ...hop, 'x-mine: 1', 'x-own: 2', 'connection: close, X-Mine, Host', '', ''];
    const answer = await raw(gateway, lines);
    const names = JSON.parse(answer.split('\r\n\r\n')[1] ?? '').filter((_: string, at: number) => at % 2 === 0);
    const own = names.filter((name: string) => !name.startsWith('x-forwarded-'));
    expect(own.sort()).toEqual(['connection', 'host', 'x-own']);
  });
});

describe('A server with a domain for its applications', () => {
  const config = { appsDomain: 'apps.example.com', publicUrl: 'https://deploy.example.com' };
  const basic = { authorization: 'Basic ZGVtbzpzZXNhbWU=' };

  it.each([
    ['deploy.example.com', 'the API'],
    ['127.0.0.1:8080', 'the API'],
    ['hello.demo.apps.example.com', 'GET / for hello.demo.apps.example.com from'],
    ['HELLO.demo.apps.example.com.', 'GET / for HELLO.demo.apps.example.com. from'],
    ['hello.demo.localhost', 'GET / for hello.demo.localhost from'],
    ['hello.apps.example.com', 'GET / for hello.apps.example.com from'],
    ['Shop.example.org:443', 'GET / for Shop.example.org:443 from'],
  ])('a request to %s is answered by %s', async (host, body) => {
    const gateway = await openDoor(telling(), { config });
    expect((await get(gateway, host)).body).toContain(body);
  });

  it.each(['apps.example.com', 'a.b.c.apps.example.com', 'other.example.com', '203.0.113.7'])(
    'a request to %j, which nobody has here, gets a page that says so',
    async (host) => {
      const gateway = await openDoor(telling(), { config });
      const answer = await get(gateway, host, { headers: { accept: 'text/html' } });
      expect(answer).toMatchObject({
        status: 404,
        body: expect.stringContaining('<p>Nothing is served under this name.'),
      });
      expect((await get(gateway, host)).body).toBe('{"error":"Nothing is served under this name."}\n');
    },
  );

  it('without an address of its own, the service is deploy.<domain>', async () => {
    const gateway = await openDoor(telling(), { config: { appsDomain: 'apps.example.com' } });
    expect((await get(gateway, 'deploy.apps.example.com')).body).toBe('the API');
  });

  it('the repository host is git.<domain>, and nothing of it is read without a login', async () => {
    const gateway = await openDoor(telling(), { repositories: telling(), config });
    expect(await get(gateway, 'git.apps.example.com')).toMatchObject({ status: 401 });
    const { status, body } = await get(gateway, 'git.apps.example.com', { headers: basic });
    // It accepts names of this machine only.
    expect([status, body]).toEqual([200, expect.stringMatching(/^GET \/ for 127\.0\.0\.1:\d+ from/)]);
  });

  it('Caddy may ask for certificates of applications that exist and of the service, and of no other name', async () => {
    const gateway = await openDoor(telling(), { config });
    const ask = async (domain: string) => (await get(gateway, '127.0.0.1', { path: `/ask?domain=${domain}` })).status;
    const known = [
      'hello.demo.apps.example.com',
      'deploy.example.com',
      'git.apps.example.com',
      'signals.apps.example.com',
    ];
    for (const name of known) expect([name, await ask(name)]).toEqual([name, 200]);
    for (const name of ['other.demo.apps.example.com', 'apps.example.com', 'localhost', '']) {
      expect([name, await ask(name)]).toEqual([name, 404]);
    }
    expect((await get(gateway, '127.0.0.1', { path: '/ask' })).status).toBe(400);
  });

  it('nobody else may ask: what came through a proxy or by another name is not answered', async () => {
    const gateway = await openDoor(telling(), { config });
    const path = '/ask?domain=deploy.example.com';
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect((await get(gateway, '127.0.0.1', { path, headers })).status).not.toBe(200);
    expect((await get(gateway, 'deploy.example.com', { path })).status).not.toBe(200);
  });
});
