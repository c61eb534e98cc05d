import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { localFetch } from '../../../../lib/http/local-fetch.ts';

const servers: ReturnType<typeof createServer>[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** Returns the address of a server with that listener. */
async function serverWith(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Answers with what has arrived. */
const echo: RequestListener = async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const { method, headers } = request;
  response
    .writeHead(202, { 'x-two': ['a', 'b'] })
    .end(JSON.stringify({ method, length: headers['content-length'], body }));
};

describe('a request to a server of this machine', () => {
  it.each(['POST', 'DELETE'])('sends a text with its length: %s', async (method) => {
    const answer = await localFetch(await serverWith(echo), { method, body: 'größer' });
    expect(JSON.parse(await answer.text())).toEqual({ method, length: '8', body: 'größer' });
    expect(answer).toMatchObject({ status: 202, ok: true });
    expect(answer.headers.get('X-Two')).toBe('a, b');
    expect(answer.headers.get('x-three')).toBeNull();
  });

  it('sends a stream, and returns a body in pieces', async () => {
    async function* body() {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    }
    const headers = { 'content-length': '7' };
    const answer = await localFetch(await serverWith(echo), { method: 'PUT', headers, body: body() });
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({ method: 'PUT', body: 'one two' });
  });

  it('returns a refusal that comes before a stream has been sent, and ends the stream', async () => {
    let ended = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(64 * 1024);
      } finally {
        ended();
      }
    }
    const refusing = await serverWith((_request, response) => response.writeHead(413).end('no'));
    const answer = await localFetch(refusing, { method: 'PUT', body: endless() });
    expect(answer.status).toBe(413);
    await answer.body.cancel();
    await end;
  });

  it('rejects when its stream fails', async () => {
    async function* failing() {
      yield Buffer.from('one');
      throw new Error('The file has gone.');
    }
    const sent = localFetch(await serverWith(() => {}), { method: 'PUT', body: failing() });
    await expect(sent).rejects.toThrow('The file has gone.');
  });

  it('rejects with the reason of an abort before the answer, during it, and before the request', async () => {
    const never = await serverWith(() => {});
    await expect(localFetch(never, { signal: AbortSignal.timeout(1) })).rejects.toMatchObject({ name: 'TimeoutError' });
    const ending = new AbortController();
    const answer = await localFetch(await serverWith((_request, response) => response.write('one')), ending);
    const pieces = answer.body[Symbol.asyncIterator]();
    await pieces.next();
    const next = pieces.next();
    ending.abort(new Error('The reader has gone.'));
    await expect(next).rejects.toThrow('The reader has gone.');
    await expect(localFetch(never, ending)).rejects.toThrow('The reader has gone.');
  });

  it('rejects when nobody listens, when the server leaves, and in the middle of a body', async () => {
    const address = await serverWith((request, response) => {
      if (request.url === '/half')
        response.writeHead(200, { 'content-length': '9' }).write('half', () => request.destroy());
      else request.destroy();
    });
    await expect(localFetch(address)).rejects.toMatchObject({ code: 'ECONNRESET' });
    const half = await localFetch(`${address}half`);
    await expect(half.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
    const [server] = servers.splice(0);
    server?.close();
    await expect(localFetch(address)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
