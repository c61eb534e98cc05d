import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { EngineHttpOptions } from '../../../../../lib/engine/http/server.ts';
import { memoryAccounts } from '../../../../fakes/accounts.ts';
import { openSocket, refusedSocket } from '../../../../support/aws-local/socket-client.ts';
import { ANN, exchange, type ServedApi, serveApi } from '../../../../support/engine/served-api.ts';

const REGISTER = '{"action":"register"}';
const login = (text: string) => `basic.${Buffer.from(text).toString('base64url')}`;
const address = ({ port }: ServedApi, path = '/signals') => `ws://127.0.0.1:${port}${path}`;

async function opened(options: Partial<EngineHttpOptions> = {}) {
  const api = await serveApi({}, options);
  const client = await openSocket(address(api), { headers: ANN });
  return { api, client };
}

describe('the WebSocket of signals', () => {
  it('answers register with the last change, and tells every later one of that user', async () => {
    const { api, client } = await opened();
    client.socket.send(REGISTER);
    expect(await client.next()).toBe('{"last":7}');
    api.signal('bob', 40);
    api.signal('ann', 8);
    expect(await client.next()).toBe('{"last":8}');
    // Signals may have been lost: the number is that of the log.
    api.signal('ann', null);
    expect(await client.next()).toBe('{"last":7}');
    client.socket.send(REGISTER);
    expect(await client.next()).toBe('{"last":7}');
    expect(api.subscribed()).toEqual(['ann']);
    client.socket.close();
    await client.closed;
    await expect.poll(() => api.subscribed()).toEqual([]);
  });

  it('tells nothing before register, and answers any other message with request:bad_parameter', async () => {
    const { api, client } = await opened();
    api.signal('ann', 8);
    for (const message of ['hello', '{"action":"other"}', '[]', '{"action":["register"]}']) {
      client.socket.send(message);
      expect(JSON.parse(await client.next())).toMatchObject({ code: 'request:bad_parameter', status: 400 });
    }
  });

  it('says status:changes:fatal when the log cannot be read', async () => {
    const { api, client } = await opened({ log: { last: () => Promise.reject(new Error('broken')) } });
    client.socket.send(REGISTER);
    expect(JSON.parse(await client.next())).toEqual({ code: 'status:changes:fatal', status: 500 });
    expect(api.traced).toEqual(['socket failed']);
  });
});

describe('the login of the WebSocket', () => {
  it('may be offered as a subprotocol, beside the one that is chosen', async () => {
    const api = await serveApi({});
    const { socket } = await openSocket(address(api), { protocols: ['changes', login('ann:right')] });
    expect(socket.protocol).toBe('changes');
    socket.terminate();
  });

  it.each<[string, Asked, number]>([
    ['none', {}, 403],
    ['a wrong one', { protocols: ['changes', login('ann:wrong')] }, 403],
    ['one in the query', { path: `/signals?authorization=${login('ann:right')}` }, 403],
    ['that of a browser at a page of another site', { headers: { ...ANN, origin: 'https://app.example' } }, 403],
    ['that of a browser at a page without origin', { headers: { ...ANN, origin: 'null' } }, 403],
  ])('is refused with a problem document: %s', async (_, { path, ...options }: Asked, status) => {
    const refused = await refusedSocket(address(await serveApi({}), path), options);
    expect(refused).toMatchObject({ status, body: { code: 'mw:auth:unauthorized', uuid: expect.any(String) } });
  });

  it('is that of the subprotocol at a page of another site, and any at a page of the service', async () => {
    const api = await serveApi({}, { publicUrl: 'https://deploy.example.com' });
    const foreign = { headers: { origin: 'https://app.example' }, protocols: ['changes', login('ann:right')] };
    const clients = [
      await openSocket(address(api), foreign),
      await openSocket(address(api), { headers: { ...ANN, origin: 'https://deploy.example.com' } }),
      await openSocket(address(api), { headers: { ...ANN, origin: api.url } }),
    ];
    for (const { socket } of clients) socket.terminate();
  });

  it('that cannot be checked now is 429, or 500 when its check fails', async () => {
    const throttled = await serveApi({}, { authorize: async () => ({ throttledSeconds: 3 }) });
    expect((await refusedSocket(address(throttled), { headers: ANN })).status).toBe(429);
    const down = await serveApi({}, { authorize: () => Promise.reject(new Error('down')) });
    expect((await refusedSocket(address(down), { headers: ANN })).status).toBe(500);
  });
});

describe('the login of an open WebSocket', () => {
  it('is asked every minute, and closes it when it was revoked', async () => {
    const accounts = memoryAccounts([{ user: 'ann', secrets: ['right'] }]);
    const clock = minutes();
    const { api, client } = await opened({ accounts, clock });
    client.socket.send(REGISTER);
    expect(await client.next()).toBe('{"last":7}');
    await clock.minute();
    await expect.poll(() => accounts.logins).toBe(1);
    api.signal('ann', 8);
    expect(await client.next()).toBe('{"last":8}');
    accounts.revoke('ann', 'right');
    await clock.minute();
    expect(await client.closed).toMatchObject({ code: 1008 });
    await expect.poll(() => api.subscribed()).toEqual([]);
  });
});

/** A clock on which nothing happens until a test lets a minute pass. */
function minutes() {
  let now = 0;
  let wake: (() => void) | undefined;
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
      wake = () => {
        now += milliseconds;
        resolve();
      };
    });
  const minute = async () => {
    await expect.poll(() => wake).toBeDefined();
    const [passes, before] = [wake, now];
    wake = undefined;
    passes?.();
    expect(now - before).toBe(60_000);
  };
  return { now: () => now, sleep, minute };
}

describe('the address of the WebSocket', () => {
  const at = (host: string) => ({ headers: { ...ANN, host } });

  it('is a path of the API, and the root of a host name of its own, which serves nothing else', async () => {
    const api = await serveApi({}, { signalsHost: 'signals.example.com' });
    for (const path of ['/', '/signals/', '/?x=1']) {
      const { socket } = await openSocket(address(api, path), at('signals.example.com:443'));
      socket.terminate();
    }
    expect((await refusedSocket(address(api, '/other'), at('signals.example.com'))).status).toBe(426);
    expect((await refusedSocket(address(api, '/'), at('api.example.com'))).status).toBe(400);
    const plain = await exchange(api, ['GET / HTTP/1.1', 'host: signals.example.com', 'connection: close', '', '']);
    expect(plain).toMatch(/^HTTP\/1\.1 426 [\s\S]*upgrade: websocket/i);
  });

  it('is not the path of an application’s own WebSocket', async () => {
    const otherHosts = {
      takes: () => true,
      takesHost: () => true,
      serve: () => expect.fail('no request'),
      upgrade: (_: unknown, socket: { end(text: string): unknown }) =>
        void socket.end('HTTP/1.1 418 Own\r\ncontent-length: 2\r\n\r\n{}'),
    };
    const api = await serveApi({}, { otherHosts });
    expect((await refusedSocket(address(api), at('app.example'))).status).toBe(418);
  });
});

describe('a WebSocket beyond its limits', () => {
  it.each([
    [
      'a message over 128 KiB',
      1009,
      (send: Send) => Array.from({ length: 5 }, (_, n) => send('x'.repeat(30_000), n === 4)),
    ],
    ['a frame over 32 KiB', 1009, (send: Send) => [send('x'.repeat(32 * 1024 + 1), true)]],
    ['a binary message', 1003, (send: Send) => [send(Buffer.from('hello'), true)]],
  ])('is closed: %s', async (_, code, work) => {
    const { client } = await opened();
    work((data, fin) => client.socket.send(data, { fin }));
    expect(await client.closed).toMatchObject({ code });
  });

  it('is closed when it is idle, whatever it pings, and when it is too old', async () => {
    const idle = await opened({ limits: { idleMs: 150 } });
    const pings = setInterval(() => idle.client.socket.ping(), 20);
    expect(await idle.client.closed).toMatchObject({ code: 1001 });
    clearInterval(pings);
    const old = await opened({ limits: { lifeMs: 200, idleMs: 100 } });
    const messages = setInterval(() => old.client.socket.send('x'), 20);
    expect(await old.client.closed).toMatchObject({ code: 1001 });
    clearInterval(messages);
  });

  it('is closed when its client does not read', async () => {
    const { api, client } = await opened({ limits: { unreadBytes: 100_000, closeMs: 50 } });
    client.socket.send(REGISTER);
    await client.next();
    client.socket.pause();
    for (let number = 0; number < 2000 && api.subscribed().length > 0; number += 1) {
      for (let burst = 0; burst < 500; burst += 1) api.signal('ann', number);
      await setTimeout(0);
    }
    expect(api.subscribed()).toEqual([]);
    client.socket.terminate();
  });

  it('that sends faster than it is answered has to wait and loses nothing', async () => {
    const atWork = { now: 0, most: 0 };
    const last = async () => {
      atWork.now += 1;
      atWork.most = Math.max(atWork.most, atWork.now);
      await setTimeout(1);
      atWork.now -= 1;
      return 1;
    };
    const { client } = await opened({ log: { last } });
    for (let count = 0; count < 200; count += 1) client.socket.send(REGISTER);
    for (let count = 0; count < 200; count += 1) expect(await client.next()).toBe('{"last":1}');
    expect(atWork.most).toBe(1);
    client.socket.terminate();
  });

  it('is closed with 1001 when the server closes, by force when its client does not answer', async () => {
    const { api, client } = await opened({ limits: { closeMs: 100 } });
    const deaf = await openSocket(address(api), { headers: ANN });
    deaf.socket.pause();
    await api.close();
    expect(await client.closed).toMatchObject({ code: 1001 });
    deaf.socket.terminate();
  });
});

interface Asked {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly protocols?: string[];
}
type Send = (data: string | Buffer, fin: boolean) => void;
