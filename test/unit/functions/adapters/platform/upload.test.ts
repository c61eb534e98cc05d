import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { httpPlatform } from '../../../../../functions/adapters/platform/http/hosting.ts';
import { localFetch } from '../../../../../lib/http/local-fetch.ts';
import { uploadOf } from '../../../../contracts/hosting-platform.ts';
import { apiServer, server } from '../../../../support/api-server.ts';

const serviceToken = 'service-token-of-the-tests';
const shop = { user: 'kiwi', app: 'shop', snapshot: '1.0.0-7' };
const failed = { code: 'deploy:platform:upload_tarball' };
const MiB = 1024 * 1024;

/** An upload of zeros that counts what was taken of it and notes its end. */
function zeros(bytes: number) {
  const seen = { taken: 0, closed: false };
  async function* body() {
    try {
      for (; seen.taken < bytes; seen.taken += MiB) yield Buffer.alloc(Math.min(MiB, bytes - seen.taken));
    } finally {
      seen.closed = true;
    }
  }
  return { upload: { body: body(), bytes, sha256: 'a'.repeat(64) }, seen };
}

const strays: unknown[] = [];
const keep = (reason: unknown) => void strays.push(reason);
beforeEach(() => void process.on('unhandledRejection', keep));
afterEach(async () => {
  await sleep(20);
  process.off('unhandledRejection', keep);
  expect(strays.splice(0)).toEqual([]);
});

describe.each([
  { client: 'fetch', fetch },
  { client: 'the client of one machine', fetch: localFetch },
])('an upload by $client', ({ fetch }) => {
  const at = (url: string) => httpPlatform({ url, serviceToken, fetch, timeouts: { uploadMs: 20_000 } });

  it('is sent as one stream with the declared length and digest', async () => {
    const api = await apiServer({ status: 201 });
    const bytes = Buffer.from('x'.repeat(1000));
    await at(api.url).upload(shop, uploadOf(bytes));
    const [request] = api.received;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(request).toMatchObject({ method: 'POST', url: `/apps/kiwi/shop/snapshots/1.0.0-7?sha256=${sha256}` });
    expect(request?.headers).toMatchObject({ 'content-length': '1000', 'content-type': 'application/octet-stream' });
    expect(request?.headers).not.toHaveProperty('transfer-encoding');
    expect(request?.body).toBe(bytes.toString());
  });

  it('reads its source no faster than the platform reads the request', async () => {
    let resume = () => {};
    let received = 0;
    const url = await server(async (request, response) => {
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      for await (const chunk of request) received += chunk.length;
      response.writeHead(201).end('{}');
    });
    const { upload, seen } = zeros(96 * MiB);
    const done = at(url).upload(shop, upload);
    await expect.poll(() => seen.taken).toBeGreaterThan(0);
    await sleep(300);
    expect(seen.taken).toBeLessThan(24 * MiB);
    resume();
    await done;
    expect(received).toBe(96 * MiB);
  });

  it('destroys its source when the platform refuses it unread, and has the platform’s reason', async () => {
    const url = await server((_request, response) => {
      response.writeHead(413, { connection: 'close' }).end('{"error":"A snapshot has at most 10 bytes."}');
    });
    const { upload, seen } = zeros(96 * MiB);
    await expect(at(url).upload(shop, upload)).rejects.toMatchObject({
      ...failed,
      retry: false,
      detail: expect.stringContaining('at most 10 bytes'),
    });
    expect(seen.taken).toBeLessThan(96 * MiB);
    await expect.poll(() => seen.closed).toBe(true);
  });

  it('destroys an unread source when the platform cannot be reached', async () => {
    const body = Readable.from([Buffer.from('x')]);
    await expect(at('http://127.0.0.1:1').upload(shop, uploadOf(Buffer.from('x'), { body }))).rejects.toMatchObject({
      ...failed,
      retry: true,
    });
    expect(body.destroyed).toBe(true);
  });

  it('fails with a retryable error when its source fails', async () => {
    const api = await apiServer({ status: 201 });
    async function* body() {
      yield Buffer.from('x');
      throw new Error('The object store hung up.');
    }
    await expect(at(api.url).upload(shop, uploadOf(Buffer.from('xy'), { body: body() }))).rejects.toMatchObject({
      ...failed,
      retry: true,
      detail: expect.stringContaining('could not be read to its end'),
    });
  });

  it('does not end the process when its source fails before the first read', async () => {
    const api = await apiServer({ status: 201 });
    const body = new Readable({ read() {} });
    body.destroy(new Error('The object store hung up.'));
    await expect(at(api.url).upload(shop, uploadOf(Buffer.from('x'), { body }))).rejects.toMatchObject({
      ...failed,
      retry: true,
    });
  });

  it.each([
    ['shorter', 1, 'it has 4 bytes, not the 5 declared'],
    ['longer', -1, 'it is longer than the 3 bytes declared'],
  ])('fails when it is %s than declared', async (_word, more, says) => {
    const api = await apiServer({ status: 201 });
    const upload = uploadOf(Buffer.from('four'), { bytes: 4 + more });
    await expect(at(api.url).upload(shop, upload)).rejects.toMatchObject({
      ...failed,
      detail: expect.stringContaining(says),
    });
  });

  it('is aborted after its timeout, and its source is destroyed', async () => {
    const url = await server(() => {});
    const { upload, seen } = zeros(96 * MiB);
    const platform = httpPlatform({ url, serviceToken, timeouts: { uploadMs: 200 } });
    await expect(platform.upload(shop, upload)).rejects.toMatchObject({
      ...failed,
      retry: true,
      detail: 'The platform did not answer the upload of 1.0.0-7 within 0.2 seconds.',
    });
    await expect.poll(() => seen.closed).toBe(true);
  });
});
