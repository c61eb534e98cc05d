import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { type Gateway, startGateway } from '../../../../lib/aws-local/gateway/gateway.ts';
import { appHosts } from '../../../../lib/local/app-hosts.ts';
import { listen } from '../../../../lib/processes/ports.ts';
import { apiTemplate } from '../../../support/aws-local/api-fixture.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An API whose only answer is "the API", and the applications of a platform on its port. */
async function frontDoor(platform: Server): Promise<Gateway> {
  const platformPort = await listen(platform, 0);
  const gateway = await startGateway({
    template: apiTemplate({ 'GET /': { function: 'f' } }),
    functions: {
      invoke: async () => ({ statusCode: 200, body: 'the API' }),
      invokeStreaming: () => expect.fail('no streams here'),
    },
    port: 0,
    otherHosts: appHosts(platformPort),
  });
  closers.push(
    gateway.close,
    () => platform.close(),
    () => platform.closeAllConnections(),
  );
  return gateway;
}

/** A platform that tells which host a request was for. */
function telling(): Server {
  return createServer((message, response) => {
    response.end(
      `${message.method} ${message.url} for ${message.headers.host} from ${message.headers['x-forwarded-for']}`,
    );
  });
}

function get({ port }: Gateway, host: string, options: object = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host };
    const asked = request(
      { host: '127.0.0.1', port, headers, agent: false, ...options },
      async (answer: IncomingMessage) => resolve({ status: answer.statusCode ?? 0, body: await text(answer) }),
    );
    asked.once('error', reject).end();
  });
}

describe('The API and the applications on one port', () => {
  it('a request to <app>.<user>.localhost goes to the application, with its Host', async () => {
    const gateway = await frontDoor(telling());
    const host = `hello.demo.localhost:${gateway.port}`;
    expect(await get(gateway, host, { method: 'POST', path: '/orders?a=1' })).toEqual({
      status: 200,
      body: `POST /orders?a=1 for ${host} from 127.0.0.1`,
    });
  });

  it.each(['127.0.0.1:8080', 'localhost:8080', 'demo.localhost', 'api.example.com', 'a.b.localhost.example.com'])(
    'a request to %s goes to the API',
    async (host) => {
      const gateway = await frontDoor(telling());
      expect(await get(gateway, host)).toEqual({ status: 200, body: 'the API' });
    },
  );

  it('a WebSocket reaches the application', async () => {
    const platform = createServer();
    const sockets = new WebSocketServer({ server: platform });
    sockets.on('connection', (socket, { headers }) => socket.send(`hello from ${headers.host}`));
    const gateway = await frontDoor(platform);
    const host = 'hello.demo.localhost';
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/`, { headers: { host } });
    const said = await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
    expect(String(said)).toBe(`hello from ${host}`);
    socket.terminate();
  });

  it('a WebSocket to the API is refused', async () => {
    const gateway = await frontDoor(telling());
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/`);
    const refused = await new Promise((resolve) => socket.once('error', resolve));
    expect(String(refused)).toContain('400');
  });

  it('an application is 503 while the platform does not answer', async () => {
    const platform = createServer();
    const gateway = await frontDoor(platform);
    await new Promise((done) => platform.close(done));
    expect((await get(gateway, 'hello.demo.localhost')).status).toBe(503);
  });
});
