import { describe, expect, it } from 'vitest';
import { httpBuildOutput } from '../../../../../../functions/adapters/platform/http/output.ts';
import { apiServer, type Reply, server } from '../../../../../support/api-server.ts';

const serviceToken = 'service-token-of-the-tests';
const shop = { user: 'kiwi', app: 'shop', snapshot: '1.0.0-7' };
const line = (text: string) => ({ at: '2026-01-01T00:00:00.000Z', stream: 'stdout', line: text });

async function read(url: string, follow = false) {
  const lines = await httpBuildOutput({ url, serviceToken }).read(shop, follow, new AbortController().signal);
  if (!lines) return null;
  const all = [];
  for await (const batch of lines) all.push(...batch);
  return all;
}

async function answered(reply: Reply, follow = false) {
  const api = await apiServer(reply);
  return { lines: await read(api.url, follow), received: api.received };
}

describe('the output of a build', () => {
  it('is read line by line, and what is no line is left out', async () => {
    const body = `${JSON.stringify(line('a'))}\n\nno json\n{"at":1}\n${JSON.stringify(line('ü'))}\n`;
    const { lines, received } = await answered({ status: 200, body });
    expect(lines).toEqual([line('a'), line('ü')]);
    expect(received[0]).toMatchObject({ method: 'GET', url: '/apps/kiwi/shop/snapshots/1.0.0-7/log' });
    expect(received[0]?.headers.accept).toBe('application/x-ndjson');
  });

  it('is followed when that is wanted', async () => {
    expect((await answered({ status: 200, body: '' }, true)).received[0]?.url).toMatch(/log\?follow=true$/);
  });

  it('is null for an unknown snapshot', async () => {
    expect((await answered({ status: 404, body: { error: 'No.' } })).lines).toBeNull();
  });

  it('is a failure when the platform refuses, and when the connection is lost', async () => {
    await expect(answered({ status: 503 })).rejects.toMatchObject({ code: 'request:failed' });
    const url = await server((_, response) => {
      response.write(`${JSON.stringify(line('a'))}\n`, () => response.destroy());
    });
    await expect(read(url)).rejects.toMatchObject({ code: 'request:failed' });
  });
});
