import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { describeApi } from '../../../../../functions/api-documents/openapi/document.ts';
import type { OtherHosts } from '../../../../../lib/http/listeners.ts';
import {
  ANN,
  answering,
  exchange,
  keepsWhatFollowsAnOffer,
  sendRaw,
  serveApi,
} from '../../../../support/engine/served-api.ts';

const fine = answering(() => ({ status: 200, body: 'fine' }));
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
/** An endpoint that never answers, and the repositories that it was asked for. */
function hanging() {
  const asked: (string | undefined)[] = [];
  const endpoint = answering(({ params }) => {
    asked.push(params.repository);
    return new Promise(() => {});
  });
  return { endpoint, asked };
}
const size = answering(({ body }) => ({ status: 200, body: String(body.byteLength) }));

describe('too many connections', () => {
  const post = `POST /1/deploy HTTP/1.1\r\nhost: x\r\nauthorization: ${ANN.authorization}\r\ncontent-length: 0\r\n\r\n`;
  const served = async (connections: number, options = {}) => {
    const api = await serveApi({ 'api-badge': fine, 'api-deploy': fine }, { limits: { connections }, ...options });
    const open = async (bytes: string, address = '127.0.0.1') => {
      const socket = connect(api.port, address).on('error', () => {});
      await once(socket, 'connect');
      socket.write(bytes);
      return socket;
    };
    /** Returns a connection whose request was answered. */
    const answered = async (bytes: string, address?: string) => {
      const socket = await open(bytes, address);
      await Promise.race([once(socket, 'data'), closed(socket).then(() => Promise.reject(new Error('closed')))]);
      return socket;
    };
    return { open, answered };
  };
  const closed = async (socket: Socket) => {
    if (!socket.closed) await once(socket.resume(), 'close');
  };

  it('end the one that has been idle longest without a login, and a new client is served', async () => {
    const { open, answered } = await served(4);
    const used = await open('');
    const member = await answered(post);
    const silent = await open('');
    const slow = await open('GET / HTTP/1.1\r\n');
    used.write(get('/ann/shop'));
    await once(used, 'data');
    // Each of them ends one: what was silent all the time, what has had its answer, then the last one, as a part of a head has come since.
    const third = await answered(get('/ann/shop'));
    await closed(silent);
    await answered(get('/ann/shop'));
    await closed(used);
    await answered(get('/ann/shop'));
    await closed(third);
    for (const socket of [member, slow]) expect(socket.readyState).toBe('open');
  });

  it('let a flood close its own connections only', async () => {
    const { open, answered } = await served(10);
    const member = await answered(post);
    for (let count = 0; count < 50; count += 1) {
      await open('');
      if (count % 10 === 0) await answered(get('/ann/shop'));
    }
    member.write(post);
    expect(String((await once(member, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('count for both addresses of this machine together; a new one is closed when all others have a login', async () => {
    const { open, answered } = await served(2);
    const members = [await answered(post), await answered(post, '::1')];
    for (const address of ['127.0.0.1', '::1']) {
      const refused = await open(get('/ann/shop'), address);
      expect(String((await once(refused, 'data'))[0])).toMatch(/^HTTP\/1\.1 503 .*too many connections/s);
      await closed(refused);
    }
    for (const socket of members) expect(socket.readyState).toBe('open');
    // Its last request had no login.
    members[0]?.write(get('/ann/shop'));
    await once(members[0] ?? expect.fail(), 'data');
    await answered(get('/ann/shop'));
  });

  it('of one address that is no proxy are more than a quarter, whatever they do', async () => {
    const { open, answered } = await served(8, { proxies: () => false });
    const own = [await open(''), await answered(post)];
    await closed(await open(''));
    await answered(get('/ann/shop'), '::1');
    for (const socket of own) expect(socket.readyState).toBe('open');
    own[0]?.destroy();
    await expect.poll(() => answered(get('/ann/shop')).then(() => 'answered', String)).toBe('answered');
  });
});

describe('the requests of one connection', () => {
  it('are answered in order and one at a time, however many come at once', async () => {
    const atWork = { now: 0, most: 0 };
    const endpoint = answering(async ({ params }) => {
      atWork.now += 1;
      atWork.most = Math.max(atWork.most, atWork.now);
      await setTimeout(Number(params.repository) % 3);
      atWork.now -= 1;
      return { status: 200, body: `<${params.repository}>` };
    });
    const api = await serveApi({ 'api-badge': endpoint });
    const paths = Array.from({ length: 300 }, (_, number) => get(`/ann/${number}`));
    const socket = sendRaw(api, paths.join(''));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    await expect.poll(() => received).toContain('<299>');
    expect([...received.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number))).toEqual([...paths.keys()]);
    expect(atWork.most).toBe(1);
    socket.write(get('/ann/again'));
    await expect.poll(() => received).toContain('<again>');
    socket.destroy();
  });

  it('cost little memory when their client reads no answer', async () => {
    let asked = 0;
    const endpoint = answering(async (request) => {
      asked += 1;
      return describeApi(request);
    });
    const api = await serveApi({ 'api-documents': endpoint });
    // What the first requests load and compile is not counted.
    let bytes = 0;
    for (let count = 0; count < 50; count += 1)
      bytes = (await (await fetch(`${api.url}/1/openapi.json`)).text()).length;
    asked = 0;
    const before = process.memoryUsage().rss;
    const socket = sendRaw(api, get('/1/openapi.json').repeat(1500));
    socket.pause();
    for (let seen = -1; seen !== asked; ) {
      seen = asked;
      await setTimeout(300);
    }
    // The kernel takes some megabytes for a client before its connection is full.
    expect(asked).toBeLessThan(200);
    // All answers together would take more than twice as much.
    expect(process.memoryUsage().rss - before).toBeLessThan((1500 * bytes) / 2);
    socket.destroy();
  });

  it('that wait are limited for all connections together: the one with more is closed', async () => {
    const { endpoint, asked } = hanging();
    const api = await serveApi({ 'api-badge': endpoint }, { limits: { waiting: 100 } });
    const patient = sendRaw(api, get('/ann/patient').repeat(60));
    await expect.poll(() => asked).toContain('patient');
    const greedy = sendRaw(api, get('/ann/greedy').repeat(60));
    await once(greedy.resume(), 'close');
    expect(patient.destroyed).toBe(false);
    // What the closed connection had waiting counts no more.
    const next = sendRaw(api, get('/ann/next').repeat(30));
    await expect.poll(() => asked).toContain('next');
    await setTimeout(20);
    expect(next.destroyed).toBe(false);
    for (const socket of [patient, next]) socket.destroy();
  });

  it('without a login are limited too, and those with one are served', async () => {
    const { endpoint, asked } = hanging();
    const api = await serveApi({ 'api-badge': endpoint, 'api-deploy': fine }, { limits: { strangers: 3 } });
    const open = Array.from({ length: 2 }, () => sendRaw(api, get('/ann/shop')));
    await expect.poll(() => asked).toHaveLength(2);
    const post = () => fetch(`${api.url}/1/deploy`, { method: 'POST', headers: ANN });
    expect((await post()).status).toBe(200);
    open.push(sendRaw(api, get('/ann/shop')));
    await expect.poll(() => asked).toHaveLength(3);
    const refused = await fetch(`${api.url}/ann/shop`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    for (const socket of open) socket.destroy();
    await expect.poll(async () => (await post()).status).toBe(200);
  });
});

describe('bytes that are no request', () => {
  it.each([
    ['400', ['GET / HTTP/1.1', 'host: x', 'content-length: a', '', '']],
    ['400', ['POST / HTTP/1.1', 'host: x', 'content-length: 3', 'transfer-encoding: chunked', '', '0', '', '']],
    ['431', ['GET / HTTP/1.1', 'host: x', `long: ${'x'.repeat(70_000)}`, '', '']],
    ['400', ['GET / HTTP/1.1', 'connection: close', '', '']],
    ['400', ['GET / HTTP/1.1', 'host: x', 'host: y', 'connection: close', '', '']],
  ])('get %s, with an id and a problem document: %j', async (status, lines) => {
    const api = await serveApi({ 'api-page': fine, 'api-deploy': fine });
    const [head = '', body = ''] = (await exchange(api, lines)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [, id] = /^x-api-uuid: (\S+)/m.exec(head) ?? [];
    expect(JSON.parse(body)).toMatchObject({ code: 'request:bad_parameter', status: Number(status), uuid: id });
  });

  it('are refused after the answers to the requests before them', async () => {
    const slow = answering(async () => {
      await setTimeout(50);
      return { status: 200, body: 'slow' };
    });
    const api = await serveApi({ 'api-badge': slow });
    const answers = await exchange(api, [`${get('/ann/shop')}${get('/ann/shop')}NONSENSE`, '', '']);
    expect(answers.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('in a body end its request', async () => {
    const api = await serveApi({ 'api-deploy': size });
    const head = ['POST /1/deploy HTTP/1.1', 'host: x', `authorization: ${ANN.authorization}`];
    expect(await exchange(api, [...head, 'transfer-encoding: chunked', '', 'zz', '', ''])).toMatch(/^HTTP\/1.1 400 /);
  });
});

describe('a body', () => {
  it('over 5 MiB is refused, with and without a declared length', async () => {
    const api = await serveApi({ 'api-deploy': size });
    const post = async (body: Uint8Array | ReadableStream, more = {}) =>
      (await fetch(`${api.url}/1/deploy`, { method: 'POST', headers: ANN, body, ...more })).status;
    const body = Buffer.alloc(5 * 1024 * 1024 + 1);
    const stream = new ReadableStream({
      start: (to) => {
        to.enqueue(body);
        to.close();
      },
    });
    expect(await post(body.subarray(1))).toBe(200);
    expect(await post(body)).toBe(413);
    expect(await post(stream, { duplex: 'half' })).toBe(413);
  });

  it('is asked for with 100 Continue, unless it is refused before', async () => {
    const api = await serveApi({ 'api-deploy': size });
    const send = async (length: number, headers: object = ANN): Promise<string> => {
      const request = httpRequest(`${api.url}/1/deploy`, {
        method: 'POST',
        headers: { ...headers, expect: '100-continue', 'content-length': length },
      });
      let isContinued = false;
      request.on('continue', () => {
        isContinued = true;
        request.end('x'.repeat(length));
      });
      request.flushHeaders();
      const [response]: IncomingMessage[] = await once(request, 'response');
      response?.resume();
      request.on('error', () => {});
      return `${isContinued} ${response?.statusCode}`;
    };
    expect(await send(3)).toBe('true 200');
    expect(await send(3, {})).toBe('false 401');
    expect(await send(6 * 1024 * 1024)).toBe('false 413');
  });

  it('is not read without a login: its client is refused before it has sent it', async () => {
    const api = await serveApi({ 'api-deploy': size });
    const socket = sendRaw(api, 'POST /1/deploy HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nthe first bytes');
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  it('that is refused and goes on and on ends its connection', async () => {
    const api = await serveApi({ 'api-deploy': size }, { limits: { drainMs: 50 } });
    const socket = sendRaw(api, 'POST /1/deploy HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nthe first bytes');
    await once(socket.resume(), 'close');
  });

  it('that does not arrive in time is 408', async () => {
    const api = await serveApi({ 'api-deploy': size }, { limits: { arrivalMs: 50, drainMs: 50 } });
    const head = ['POST /1/deploy HTTP/1.1', 'host: x', `authorization: ${ANN.authorization}`];
    const answer = await exchange(api, [...head, 'content-length: 10', '', 'abc']);
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*x-api-uuid: /);
  });

  it('counts for all requests together: too many are refused with 429, and give back their memory', async () => {
    const api = await serveApi({ 'api-deploy': size }, { limits: { bodiesBytes: 1_000_000 } });
    const head = `POST /1/deploy HTTP/1.1\r\nhost: x\r\nauthorization: ${ANN.authorization}\r\ncontent-length: 900000\r\n\r\n`;
    const both = [1, 2].map(() => sendRaw(api, head + 'x'.repeat(800_000)));
    const refused = await Promise.race(both.map((socket) => once(socket, 'data')));
    expect(String(refused)).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 5/i);
    for (const socket of both) socket.destroy();
    const post = () => fetch(`${api.url}/1/deploy`, { method: 'POST', headers: ANN, body: 'x'.repeat(900_000) });
    await expect.poll(async () => (await post()).status).toBe(200);
  });

  it('whose client disconnects reaches no endpoint and is logged with 499', async () => {
    const api = await serveApi({ 'api-deploy': answering(() => expect.fail('called')) });
    const head = ['POST /1/deploy HTTP/1.1', 'host: x', `authorization: ${ANN.authorization}`];
    const socket = sendRaw(api, [...head, 'expect: 100-continue', 'content-length: 10', '', 'abc'].join('\r\n'));
    // The server reads the body from here on.
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 100 /);
    socket.destroy();
    await expect.poll(() => api.records[0]?.status).toBe(499);
    expect(api.traced).toEqual([]);
  });
});

describe('a connection', () => {
  it('is closed when its client takes nothing of an answer', async () => {
    const big = answering(() => ({ status: 200, body: Buffer.alloc(50_000_000) }));
    const api = await serveApi({ 'api-badge': big }, { limits: { stalledMs: 100 } });
    const socket = sendRaw(api, get('/ann/shop'));
    socket.pause();
    await expect.poll(() => api.records.length).toBe(1);
    socket.destroy();
  });

  it('is ended by close(), with the request on it; the port is free then', async () => {
    const { endpoint, asked } = hanging();
    const api = await serveApi({ 'api-badge': endpoint });
    const open = fetch(`${api.url}/ann/shop`).catch(() => 'ended');
    await expect.poll(() => asked).toHaveLength(1);
    await api.close();
    // And again, after the test: a second close() does nothing.
    expect(await open).toBe('ended');
    const again = await serveApi({}, { port: api.port });
    expect(again.port).toBe(api.port);
    await expect(serveApi({}, { port: api.port })).rejects.toThrow(`127.0.0.1:${api.port}`);
  });

  it.skipIf(!keepsWhatFollowsAnOffer)('asks in vain for a protocol that is not known, and is served', async () => {
    const api = await serveApi({ 'api-deploy': size, 'api-badge': fine });
    const h2c = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQCAAAAAAIAAAAA'];
    const post = ['POST /1/deploy HTTP/1.1', 'host: x', `authorization: ${ANN.authorization}`, 'content-length: 5'];
    const answers = await exchange(api, [
      [...post, ...h2c, '', 'hello'].join('\r\n') +
        ['GET /ann/shop HTTP/1.1', 'host: x', 'connection: close', '', ''].join('\r\n'),
    ]);
    expect(answers.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(answers).toMatch(/\r\n\r\n5HTTP/);
  });

  it('asks for a WebSocket where there is none, and is refused', async () => {
    const api = await serveApi({});
    const lines = ['GET /1/openapi HTTP/1.1', 'host: x', 'connection: upgrade', 'upgrade: websocket', '', ''];
    expect(await exchange(api, lines)).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-api-uuid: /);
  });

  it('of another host name goes to the program of that host, in turn', async () => {
    const served: string[] = [];
    const answers: (() => void)[] = [];
    const otherHosts: OtherHosts = {
      takes: ({ headers }) => headers.host === 'app.example',
      takesHost: (host) => host === 'app.example',
      serve: ({ url = '' }, response) => {
        served.push(url);
        answers.push(() => response.end(`app ${url}`));
      },
      upgrade: (_request, socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    };
    const api = await serveApi({ 'api-badge': fine }, { otherHosts });
    const to = (path: string, ...more: string[]) =>
      ['GET', path, 'HTTP/1.1\r\nhost: app.example\r\n'].join(' ') + more.join('');
    const socket = sendRaw(api, `${to('/1')}\r\n${to('/2')}\r\n${get('/ann/shop')}`);
    await expect.poll(() => served).toEqual(['/1']);
    // Long enough for the second to be served too early.
    await setTimeout(20);
    expect(served).toEqual(['/1']);
    answers[0]?.();
    await expect.poll(() => served).toEqual(['/1', '/2']);
    socket.destroy();
    const upgraded = await exchange(api, [to('/x', 'connection: upgrade\r\nupgrade: websocket\r\n\r\n')]);
    expect(upgraded).toMatch(/^HTTP\/1\.1 101 /);
    const nonsense = await exchange(api, [to('/x', 'content-length: a\r\n\r\n')]);
    expect(nonsense).toMatch(/^HTTP\/1\.1 400 [\s\S]*{"error":"The request cannot be read."}/);
  });
});
