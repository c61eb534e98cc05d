import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { application, ask, bytes, endAfterEach, exchange, forwarded } from '../../../support/http/forwarded.ts';

endAfterEach();

/** A request without a body, one with a body, and one with a body in chunks: they go different ways. */
const WAYS: readonly (readonly [string, readonly string[], string])[] = [
  ['GET', [], ''],
  ['POST', ['Content-Length: 2'], 'hi'],
  ['PUT', ['Transfer-Encoding: chunked'], '2\r\nhi\r\n0\r\n\r\n'],
];

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';

describe.each(WAYS)('a %s that is forwarded', (method, framing, body) => {
  const send = async (port: number, ...more: readonly string[]) =>
    exchange(port, [...ask(method, ...more, ...framing).slice(0, -1), body]);

  it('has its headers as they were sent, in both directions: case, order and each of several', async () => {
    let got = '';
    const { port } = await forwarded(
      bytes((socket, head) => {
        got ||= head;
        socket.write(`${OK}X-Two: a\r\nSet-Cookie: one=1\r\nx-two: b\r\nSET-COOKIE: two=2\r\n\r\nok`);
      }),
    );
    const answer = await send(port, 'X-Mine: 1', 'aCCept: b', 'X-mine: 2', 'Cookie: c=d', 'X-Umlaut: \u00fc');
    expect(got).toContain(
      ['X-Mine: 1', 'aCCept: b', 'X-mine: 2', 'Cookie: c=d', 'X-Umlaut: \u00c3\u00bc'].join('\r\n'),
    );
    expect(answer).toContain('X-Two: a\r\nSet-Cookie: one=1\r\nx-two: b\r\nSET-COOKIE: two=2\r\n');
    expect(answer).toMatch(/\r\n\r\nok$/);
  });

  it('has no header of its answer that is for the connection to the server only', async () => {
    const hop = [
      'Connection: X-Hop, close',
      'X-Hop: 1',
      'Keep-Alive: timeout=9',
      'Upgrade: h2c',
      'Proxy-Connection: a',
    ];
    const { port } = await forwarded(bytes((socket) => socket.write(`${OK}${hop.join('\r\n')}\r\nX-Own: 1\r\n\r\nok`)));
    const answer = await send(port);
    expect(answer).toContain('X-Own: 1');
    expect(answer).not.toMatch(/X-Hop|timeout=9|Upgrade|Proxy-Connection/i);
  });

  it('keeps cookies of the application from the names above its own', async () => {
    const server = application((_, response) => response.setHeader('set-cookie', 'a=1; Domain=.test; Secure').end());
    const { port } = await forwarded(server, ['app.test']);
    expect(await send(port)).toContain('set-cookie: a=1; Secure\r\n');
  });

  it('has trailers after its answer, for a client that can get them', async () => {
    const server = application((message, response) => {
      message.resume().once('end', () => {
        response.writeHead(200, { Trailer: 'X-Sum' }).write('a');
        response.addTrailers({ 'X-Sum': '42' });
        response.end();
      });
    });
    const { port } = await forwarded(server);
    expect(await send(port)).toMatch(/Trailer: X-Sum\r\n[\s\S]*\r\n1\r\na\r\n0\r\nX-Sum: 42\r\n\r\n$/);
    expect(await exchange(port, ['GET / HTTP/1.0', '', ''])).not.toMatch(/X-Sum/);
  });

  it('has what comes before its answer, such as early hints', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nlink: odd\r\n\r\n';
    const { port } = await forwarded(
      bytes((socket) => socket.write(`HTTP/1.1 102 Processing\r\n\r\n${early}${OK}\r\nok`)),
    );
    expect(await send(port)).toMatch(new RegExp(`^HTTP/1.1 102 Processing\r\n\r\n${early}HTTP/1.1 200 OK`));
  });

  it('is refused after a hundred answers that come before one', async () => {
    const { port } = await forwarded(bytes((socket) => socket.end('HTTP/1.1 103 A\r\n\r\n'.repeat(1_000))));
    const [before = '', after] = (await send(port)).split('HTTP/1.1 502');
    expect(before.match(/^HTTP\/1.1 103 A$/gm)).toHaveLength(100);
    expect(after).toContain('"No answer."');
  });

  it('has the beginning of its answer before the rest comes', async () => {
    const { port } = await forwarded(application((_, response) => response.flushHeaders()));
    const socket = connect(port, '127.0.0.1');
    socket.write([...ask(method, ...framing).slice(0, -1), body].join('\r\n'));
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 200 OK/);
    socket.destroy();
  });

  it.each([
    ['ends its connection', ''],
    ['ends it within the headers', 'HTTP/1.1 200 OK\r\nX-'],
    ['answers with what is no HTTP', 'hello\r\n\r\n'],
    ['answers with a status that does not exist', 'HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n'],
    ['changes to a protocol that nobody has asked for', 'HTTP/1.1 101 A\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n'],
    ['answers with too long headers', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`],
  ])('is refused when the server %s, after one try', async (_, answered) => {
    let tries = 0;
    const server = bytes((socket) => {
      tries += 1;
      socket.end(answered);
    });
    const { port } = await forwarded(server);
    expect(await send(port)).toMatch(/^HTTP\/1.1 502 [\s\S]*"No answer."/);
    expect(tries).toBe(1);
  });

  it('has the reason of its answer without what cannot be sent', async () => {
    const { port } = await forwarded(bytes((socket) => socket.write(`${OK.replace('OK', '\x01Fine\x7f')}\r\nok`)));
    expect(await send(port)).toMatch(/^HTTP\/1.1 200 Fine\r\n/);
  });

  it('is refused for another reason when nothing listens', async () => {
    const server = application(() => {});
    const { port } = await forwarded(server);
    server.close();
    await once(server, 'close');
    expect(await send(port)).toMatch(/^HTTP\/1.1 503 [\s\S]*"Nothing listens."/);
  });

  it('is cut off when its answer ends too early', async () => {
    const { port } = await forwarded(bytes((socket) => socket.end(`${OK}\r\no`)));
    const answer = await send(port);
    expect(answer).toMatch(/\r\n\r\no?$/);
  });

  it('ends at the server when its client leaves', async () => {
    const server = application((_, response) => response.write('a'));
    const { port } = await forwarded(server);
    const arrived = once(server, 'connection');
    const client = connect(port, '127.0.0.1');
    client.write([...ask(method, ...framing).slice(0, -1), body].join('\r\n'));
    const [connection] = (await arrived) as [Socket];
    await once(client, 'data');
    client.destroy();
    await once(connection, 'close');
  });

  it('has an answer that ends with its connection, and one for a client of HTTP/1.0', async () => {
    const { port } = await forwarded(bytes((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it')));
    expect(await send(port)).toMatch(/all of it/);
    const old = await exchange(port, [`${method} / HTTP/1.0`, ...framing, '', body]);
    expect(old).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\nall of it$/);
  });
});

describe('a kept connection of a client', () => {
  it.each([204, 304])('goes on after an answer %i with a length', async (status) => {
    const { port } = await forwarded(
      bytes((socket) => socket.write(`HTTP/1.1 ${status} A\r\nContent-Length: 5\r\n\r\n`)),
    );
    const twice = ['GET / HTTP/1.1', 'Host: a', '', ...ask('GET')];
    expect((await exchange(port, twice)).match(/HTTP\/1.1 \d+/g)).toEqual(Array(2).fill(`HTTP/1.1 ${status}`));
  });

  it('goes on after an answer to HEAD, which has the length and no body', async () => {
    const { port } = await forwarded(application((_, response) => response.setHeader('content-length', 5).end()));
    const answer = await exchange(port, ['HEAD / HTTP/1.1', 'Host: a', '', ...ask('HEAD')]);
    expect(answer.match(/content-length: 5/g)).toHaveLength(2);
  });
});

describe('an upload', () => {
  const LENGTH = 3_000_000;
  const upload = (port: number, headers: Record<string, string | number>) =>
    new Promise<string>((resolve, reject) => {
      const sent = request({ port, method: 'POST', headers, agent: false }, async (answer) =>
        resolve(`${answer.statusCode} ${await text(answer)}`),
      );
      sent.once('error', reject).end(Buffer.alloc(LENGTH));
    });

  it.each([
    ['answers without reading it', { 'content-length': LENGTH }, (socket: Socket) => socket.write(`${OK}\r\nV1`)],
    ['does so, in chunks', { 'transfer-encoding': 'chunked' }, (socket: Socket) => socket.write(`${OK}\r\nV1`)],
    ['closes its connection then', { 'content-length': LENGTH }, (socket: Socket) => socket.end(`${OK}\r\nV1`)],
    [
      'resets its connection then',
      { 'content-length': LENGTH },
      (socket: Socket) => socket.write(`${OK}\r\nV1`, () => socket.pause().resetAndDestroy()),
    ],
  ])('has its answer when the server %s', async (_, headers, answer) => {
    const { port } = await forwarded(bytes((socket, head) => head.startsWith('POST') && answer(socket)));
    for (let number = 0; number < 10; number += 1) expect(await upload(port, headers)).toBe('200 V1');
  });

  it('has the answer of a server of Node that does not read it', async () => {
    const { port } = await forwarded(createServer((_, response) => response.end('V1')));
    for (let number = 0; number < 20; number += 1) expect(await upload(port, {})).toBe('200 V1');
  });

  it('has its trailers', async () => {
    const server = application(async (message, response) => {
      await text(message);
      response.end(JSON.stringify([message.headers.trailer, message.rawTrailers]));
    });
    const { port } = await forwarded(server);
    const lines = ask('POST', 'Transfer-Encoding: chunked', 'Trailer: X-Sum').slice(0, -1);
    const answer = await exchange(port, [...lines, '2', 'hi', '0', 'X-Sum: 42', '', '']);
    expect(answer).toContain('["X-Sum",["X-Sum","42"]]');
  });

  it('begins when the application wants it, where its client waits for that', async () => {
    const server = application((message, response) => message.pipe(response));
    server.on('checkContinue', (message, response) => {
      if (message.headers.large) return response.writeHead(413).end();
      response.writeContinue();
      message.pipe(response);
    });
    const { port } = await forwarded(server);
    const asking = (large: Record<string, string>) =>
      request({
        port,
        method: 'PUT',
        headers: { expect: '100-continue', 'content-length': 2, ...large },
        agent: false,
      });
    const refused = asking({ large: 'yes' });
    refused.flushHeaders();
    const [answer] = await once(refused, 'response');
    expect(answer.statusCode).toBe(413);
    refused.destroy();

    const wanted = asking({});
    wanted.flushHeaders();
    await once(wanted, 'continue');
    wanted.end('hi');
    const [echo] = await once(wanted, 'response');
    expect(await text(echo)).toBe('hi');
  });

  it('is read no faster than the application reads it', async () => {
    const { port } = await forwarded(application((message) => message.pause()));
    const client = connect(port, '127.0.0.1');
    client.write(ask('POST', 'Content-Length: 100000000').join('\r\n'));
    const chunk = Buffer.alloc(1_000_000);
    let sent = 0;
    while (sent < 100 && client.write(chunk)) sent += 1;
    while (sent < 100) {
      const isRead = await Promise.race([
        once(client, 'drain').then(() => true),
        new Promise((resolve) => setTimeout(resolve, 300, false)),
      ]);
      if (!isRead) break;
      client.write(chunk);
      sent += 1;
    }
    client.destroy();
    expect(sent).toBeLessThan(50);
  });
});

describe('a WebSocket', () => {
  const echoing = () => {
    const server = createServer();
    new WebSocketServer({ server }).on('connection', (socket) => {
      socket.send('hello');
      socket.on('message', (message) => socket.send(message));
    });
    return server;
  };

  it('carries messages in both directions, and its end', async () => {
    const { port } = await forwarded(echoing());
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    const [first] = await once(socket, 'message');
    socket.send('x'.repeat(100_000));
    const [second] = await once(socket, 'message');
    socket.close(4321, 'bye');
    const [code] = await once(socket, 'close');
    expect([String(first), String(second).length, code]).toEqual(['hello', 100_000, 4321]);
  });

  it.each(['client', 'server'])('ends on both sides when it is cut off by its %s', async (side) => {
    const server = echoing();
    const arrived = once(server, 'connection');
    const { port } = await forwarded(server);
    const socket = new WebSocket(`ws://127.0.0.1:${port}`).on('error', () => {});
    const [connection] = (await arrived) as [Socket];
    await once(socket, 'message');
    const ends = Promise.all([once(connection, 'close'), once(socket, 'close')]);
    if (side === 'client') socket.terminate();
    else connection.resetAndDestroy();
    await ends;
  });

  it('has the answer of an application that does not want it', async () => {
    const server = bytes((socket) => socket.write('HTTP/1.1 403 No\r\nX-Why: a\r\nContent-Length: 4\r\n\r\nnone'));
    const { port } = await forwarded(server);
    const answer = await exchange(port, ask('GET', 'Connection: Upgrade', 'Upgrade: websocket'));
    expect(answer).toMatch(/^HTTP\/1.1 403 No\r\nX-Why: a\r\nContent-Length: 4\r\n[\s\S]*\r\n\r\nnone$/);
  });

  it('is refused when the server ends before it answers', async () => {
    const { port } = await forwarded(bytes((socket) => socket.end()));
    const answer = await exchange(port, ask('GET', 'Connection: Upgrade', 'Upgrade: websocket'));
    expect(answer).toMatch(/^HTTP\/1.1 502 [\s\S]*"No answer."/);
  });
});
