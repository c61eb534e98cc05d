import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { bytes, endAfterEach, forwarded } from '../../../support/http/forwarded.ts';

endAfterEach();

const REQUESTS = 5_000;
const AT_A_TIME = 20;
const METHODS = ['GET', 'POST', 'DELETE', 'PATCH', 'PUT'];
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** What a server does with a connection besides its answer, the first of which each connection gets. */
const MOMENTS: readonly ((socket: Socket, isFirst: boolean) => void)[] = [
  (socket) => socket.write(ANSWER),
  (socket) => socket.end(ANSWER),
  (socket) => socket.write(ANSWER, () => socket.end()),
  (socket) => socket.write(ANSWER, () => socket.resetAndDestroy()),
  (socket) => socket.write(ANSWER, () => setImmediate(() => socket.end())),
  (socket) => socket.write(ANSWER, () => setTimeout(() => socket.end(), 1)),
  (socket) => socket.write(ANSWER, () => setTimeout(() => socket.resetAndDestroy(), 2)),
  (socket, isFirst) => (isFirst ? socket.write(ANSWER) : socket.end()),
  (socket, isFirst) => (isFirst ? socket.write(ANSWER) : socket.resetAndDestroy()),
];

describe('a server that closes its connections at each possible moment', () => {
  it(`costs none of ${REQUESTS} requests, and gets none twice that must not be repeated`, async () => {
    const got = new Map<string, number>();
    let answered = 0;
    const server = bytes((socket, head, number) => {
      const name = head.split(' HTTP/')[0] ?? '';
      got.set(name, (got.get(name) ?? 0) + 1);
      MOMENTS[answered % MOMENTS.length]?.(socket, number === 1);
      answered += 1;
    });
    const { port, connections } = await forwarded(server);
    const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });
    const failed: string[] = [];
    let next = 0;
    const client = async () => {
      while (next < REQUESTS) {
        const path = `/${next}`;
        const method = METHODS[next++ % METHODS.length] ?? 'GET';
        const status = await statusOf({ port, agent, method, path });
        if (status !== 'ok') failed.push(`${method} ${path}: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, client));
    agent.destroy();

    expect(failed).toEqual([]);
    expect(got.size).toBe(REQUESTS);
    expect([...got].filter(([name, times]) => /^P(?:OST|ATCH)/.test(name) && times !== 1)).toEqual([]);
    // Some were kept and some were repeated, else this has shown nothing.
    expect(connections()).toBeLessThan(REQUESTS * 0.95);
    expect(answered).toBeGreaterThan(REQUESTS);
  });
});

/** Returns the body of an answer, or what went wrong. */
function statusOf(options: { port: number; agent: Agent; method: string; path: string }): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', ...options }, (answer) => {
      text(answer).then(resolve, (error: unknown) => resolve(String(error)));
    });
    sent.once('error', (error) => resolve(String(error))).end();
  });
}
