import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { application, ask, bytes, endAfterEach, exchange, forwarded } from '../../../support/http/forwarded.ts';

endAfterEach();

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';

/** Answers the first request of each connection, and does `then` with the connection at each further one. */
function answeringOnce(then: (socket: Socket) => void, heads: string[] = []): Server {
  return bytes((socket, head, number) => {
    heads.push(head.split('\r\n')[0] ?? '');
    if (number === 1) socket.write(`${OK}\r\nok`);
    else then(socket);
  });
}

const statusOf = (answer: string) => Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]);

describe('a connection to a server', () => {
  it('is used for one request after the other, and there are as many as requests at a time', async () => {
    const { port, connections } = await forwarded(application((_, response) => response.end('ok')));
    for (let number = 0; number < 5; number += 1) await exchange(port, ask('GET'));
    expect(connections()).toBe(1);
    await Promise.all(Array.from({ length: 5 }, () => exchange(port, ask('DELETE'))));
    expect(connections()).toBeLessThanOrEqual(6);
  });

  it.each([
    ['POST', []],
    ['POST', ['Content-Length: 0']],
    ['PATCH', []],
    ['PUT', ['Content-Length: 2']],
    ['GET', ['Content-Length: 2']],
    ['DELETE', ['Transfer-Encoding: chunked']],
  ] as const)('is new for a %s that must not be repeated or has a body (%j)', async (method, framing) => {
    const { port, connections } = await forwarded(application((_, response) => response.end('ok')));
    const body = framing[0] === 'Content-Length: 2' ? 'hi' : framing[0]?.startsWith('T') ? '2\r\nhi\r\n0\r\n\r\n' : '';
    for (let number = 1; number <= 2; number += 1) {
      await exchange(port, ask('GET'));
      expect(statusOf(await exchange(port, [...ask(method, ...framing).slice(0, -1), body]))).toBe(200);
    }
    expect(connections()).toBe(3);
  });

  it.each([
    ['ends', (socket: Socket) => socket.end()],
    ['is reset', (socket: Socket) => socket.resetAndDestroy()],
  ])('that %s when it is used again costs no request: it is sent once more on a new one', async (_, end) => {
    const heads: string[] = [];
    const { port, connections } = await forwarded(answeringOnce(end, heads));
    const statuses: number[] = [];
    for (let number = 0; number < 3; number += 1) statuses.push(statusOf(await exchange(port, ask('GET'))));
    expect(statuses).toEqual([200, 200, 200]);
    expect([heads.length, connections()]).toEqual([5, 3]);
  });

  it('that ends after a byte of the answer costs the request, as a new one would', async () => {
    const heads: string[] = [];
    const { port } = await forwarded(answeringOnce((socket) => socket.end('H'), heads));
    await exchange(port, ask('GET'));
    expect([statusOf(await exchange(port, ask('GET'))), heads.length]).toEqual([502, 2]);
  });

  it('that the server has closed meanwhile is not used', async () => {
    const heads: string[] = [];
    const server = answeringOnce((socket) => socket.end(), heads);
    const { port, connections } = await forwarded(server);
    const arrived = once(server, 'connection');
    await exchange(port, ask('GET'));
    const [connection] = (await arrived) as [Socket];
    connection.end();
    await once(connection, 'close');
    expect([statusOf(await exchange(port, ask('GET'))), heads.length, connections()]).toEqual([200, 2, 2]);
  });

  it.each([
    ['Keep-Alive: timeout=1', 2],
    ['Keep-Alive: timeout=0', 2],
    ['Connection: close', 2],
    ['Keep-Alive: timeout=5', 1],
  ])('is not used again in the last second before it is closed as announced: %s', async (header, expected) => {
    const { port, connections } = await forwarded(bytes((socket) => socket.write(`${OK}${header}\r\n\r\nok`)));
    for (let number = 0; number < 2; number += 1) await exchange(port, ask('GET'));
    expect(connections()).toBe(expected);
  });

  it('is not used again when more than an answer has come', async () => {
    const { port, connections } = await forwarded(bytes((socket) => socket.write(`${OK}\r\nok${OK}\r\nno`)));
    for (let number = 0; number < 2; number += 1) expect(await exchange(port, ask('GET'))).not.toContain('no');
    expect(connections()).toBe(2);
  });

  it('is used again after an answer that came faster than its client reads', async () => {
    const chunk = 'x'.repeat(60_000);
    const whole = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nea60\r\n${chunk}\r\n0\r\n\r\n`;
    const { port, connections } = await forwarded(bytes((socket) => socket.write(whole)));
    for (let number = 0; number < 2; number += 1) expect(await exchange(port, ask('GET'))).toContain(chunk);
    expect(connections()).toBe(1);
  });

  it('is closed when the server gets no further requests; one in use when its answer has ended', async () => {
    const closed: string[] = [];
    let end = () => {};
    const server = application(({ url, socket }, response) => {
      socket.once('close', () => closed.push(String(url)));
      if (url === '/') return response.end('ok');
      response.write('begun');
      end = () => response.end('ended');
    });
    const { port, leave } = await forwarded(server);
    const begun = once(server, 'request');
    const slow = exchange(port, ['GET /slow HTTP/1.1', 'Host: a', 'Connection: close', '', '']);
    const [{ socket }] = await begun;
    await exchange(port, ask('GET'));
    leave();
    await expect.poll(() => closed).toEqual(['/']);
    end();
    expect(await slow).toContain('ended');
    if (!socket.destroyed) await once(socket, 'close');
    expect(closed).toEqual(['/', '/slow']);
    expect(statusOf(await exchange(port, ask('GET')))).toBe(200);
  });

  it('is closed by itself when nobody uses it', async () => {
    const server = bytes((socket) => socket.write(`${OK}Keep-Alive: timeout=2\r\n\r\nok`));
    const { port } = await forwarded(server);
    const arrived = once(server, 'connection');
    await exchange(port, ask('GET'));
    const [connection] = (await arrived) as [Socket];
    const begin = performance.now();
    if (!connection.destroyed) await once(connection, 'close');
    expect(performance.now() - begin).toBeLessThan(1900);
  });
});
