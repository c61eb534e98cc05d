import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { HttpLimits } from '../../../../../lib/engine/http/limits.ts';
import { sendRaw, serveApi } from '../../../../support/engine/served-api.ts';

const headers = { 'content-type': 'application/x-ndjson' };
const serveStream = (body: AsyncIterable<Uint8Array> | null, limits: Partial<HttpLimits> = {}) =>
  serveApi({ 'api-page': { stream: async () => ({ status: body ? 200 : 304, headers, body }) as never } }, { limits });

describe('a stream', () => {
  it('has its head sent at once and its chunks as they are made', async () => {
    const gate = { open: () => {} };
    const opened = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    async function* body() {
      await opened;
      yield Buffer.from('one\n');
      yield Buffer.from('two\n');
    }
    const response = await fetch((await serveStream(body())).url);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('x-api-uuid')).toMatch(/-/);
    gate.open();
    expect(await response.text()).toBe('one\ntwo\n');
  });

  it('is told at once that its client has gone', async () => {
    let gone: AbortSignal | undefined;
    async function* body() {
      yield Buffer.from('one');
      if (gone?.aborted === false) await once(gone, 'abort');
    }
    const api = await serveApi({
      'api-page': {
        stream: async (request) => {
          gone = request.gone;
          return { status: 200, headers, body: body() };
        },
      },
    });
    const client = new AbortController();
    const response = await fetch(api.url, { signal: client.signal });
    await response.body?.getReader().read();
    expect(gone?.aborted).toBe(false);
    client.abort();
    await expect.poll(() => gone?.aborted).toBe(true);
  });

  it('may have no body', async () => {
    const response = await fetch((await serveStream(null)).url);
    expect([response.status, await response.text()]).toEqual([304, '']);
  });

  it('is cut off, not ended, when it fails', async () => {
    async function* body() {
      yield Buffer.from('one');
      await setTimeout(20);
      throw new Error('under way');
    }
    const api = await serveStream(body());
    const response = await fetch(api.url);
    await expect(response.text()).rejects.toThrow();
    await expect.poll(() => api.records[0]?.reason).toContain('under way');
    expect(api.traced).toEqual(['request failed']);
  });

  it('that cannot begin is a problem document', async () => {
    const api = await serveApi({ 'api-page': { stream: () => Promise.reject(new Error('no head')) } });
    const response = await fetch(api.url);
    expect([response.status, await response.json()]).toMatchObject([500, { code: 'request:failed' }]);
  });

  it('is cut off at its time limit', async () => {
    async function* body() {
      while (true) {
        yield Buffer.from('.');
        await setTimeout(20);
      }
    }
    const { url } = await serveStream(body(), { streamMs: 300 });
    const started = Date.now();
    const response = await fetch(url);
    await expect(response.text()).rejects.toThrow();
    expect(Date.now() - started).toBeGreaterThan(100);
  });

  it('is read no further than its client reads, and left when the client goes', async () => {
    const made = { bytes: 0, isLeft: false };
    async function* body() {
      try {
        while (true) {
          made.bytes += 100_000;
          yield Buffer.alloc(100_000);
        }
      } finally {
        made.isLeft = true;
      }
    }
    const socket = sendRaw(await serveStream(body()), 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'readable');
    for (let seen = -1; seen !== made.bytes; ) {
      seen = made.bytes;
      await setTimeout(200);
    }
    expect(made.bytes).toBeLessThan(30_000_000);
    expect(made.isLeft).toBe(false);
    socket.destroy();
    await expect.poll(() => made.isLeft).toBe(true);
  });
});
