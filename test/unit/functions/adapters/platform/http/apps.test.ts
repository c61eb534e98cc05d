import { describe, expect, it } from 'vitest';
import { httpApplications, httpAppVariables } from '../../../../../../functions/adapters/platform/http/applications.ts';
import { httpAppOperations } from '../../../../../../functions/adapters/platform/http/hosting.ts';
import { httpAppOutput } from '../../../../../../functions/adapters/platform/http/output.ts';
import { basicHeader } from '../../../../../../functions/core/basic-auth.ts';
import { apiServer, type Reply } from '../../../../../support/api-server.ts';

const serviceToken = 'service-token-of-the-tests';
const authorization = basicHeader(`kiwi:${serviceToken}`);
const shop = { user: 'kiwi', app: 'shop' };
const canary = 'canary-value-0d4c';

async function setUp(...replies: readonly Reply[]) {
  const api = await apiServer(...replies);
  const options = { url: api.url, serviceToken };
  return {
    api,
    applications: httpApplications(options),
    operations: httpAppOperations({ ...options, timeouts: { restartMs: 2000, endMs: 2000 } }),
    variables: httpAppVariables(options),
    output: httpAppOutput(options),
  };
}

describe('the applications of the platform API', () => {
  it.each([
    ['running', '1.0.0-1', 'running'],
    ['starting', '1.0.0-1', 'starting'],
    ['restarting', '1.0.0-1', 'running'],
    ['asleep', '1.0.0-1', 'asleep'],
    ['stopped', '1.0.0-1', 'stopped'],
    ['crashed', '1.0.0-1', 'crashed'],
    ['stopped', null, 'never'],
    ['starting', null, 'never'],
  ])('that are %s with the snapshot %j are %s', async (state, snapshot, expected) => {
    const body = { app: 'shop', name: '@kiwi/shop', state, snapshot, url: null };
    const { applications, api } = await setUp({ status: 200, body });
    expect(await applications.find(shop)).toEqual({
      ...shop,
      name: '@kiwi/shop',
      state: expected,
      snapshot,
      url: null,
    });
    expect(api.received).toMatchObject([{ method: 'GET', url: '/apps/kiwi/shop', headers: { authorization } }]);
  });

  it.each([[{ apps: [{ name: 'shop' }] }], [{ apps: [7] }]])('are not understood from %j', async (body) => {
    const { applications } = await setUp({ status: 200, body });
    await expect(applications.list('kiwi')).rejects.toMatchObject({ code: 'request:failed', retry: true });
  });

  it('have no address that is not one of the web', async () => {
    const body = { app: 'shop', state: 'running', snapshot: '1', url: 'javascript:alert(1)' };
    expect(await (await setUp({ status: 200, body })).applications.find(shop)).toMatchObject({ url: null });
  });

  it('have no address before a start has succeeded', async () => {
    const body = { app: 'shop', state: 'stopped', snapshot: null, url: 'http://127.0.0.1:4000' };
    expect(await (await setUp({ status: 200, body })).applications.find(shop)).toMatchObject({ url: null });
  });

  it('have no snapshots that were never built, whose build has failed', async () => {
    const built = { id: '4', state: 'failed', built_at: '2026-01-01T00:00:00Z' };
    const never = { id: '2', state: 'failed', built_at: null };
    const snapshots = [{ id: '1', state: 'ready' }, never, { id: '3', state: 'pending' }, {}, built];
    const { applications } = await setUp({ status: 200, body: { snapshots } });
    expect(await applications.snapshots(shop)).toEqual(['1', '3', '4']);
  });

  it.each([[{ status: 500 }], ['hang up']] as const)('cannot be read when the platform answers %j', async (reply) => {
    const { applications } = await setUp(reply, reply);
    await expect(applications.find(shop)).rejects.toMatchObject({ code: 'request:failed', retry: true });
  });
});

describe('an operation by the platform API', () => {
  it('that fails in the application is final, and has its last lines', async () => {
    const { operations } = await setUp({ status: 500, body: { error: 'It exits with 1.', log: ['boom'] } });
    await expect(operations.restart(shop)).rejects.toMatchObject({
      code: 'deploy:platform:start_app',
      retry: false,
      logTail: ['boom'],
    });
  });

  it('without an answer is tried again', async () => {
    const { operations } = await setUp('hang up', 'hang up');
    await expect(operations.stop(shop)).rejects.toMatchObject({ code: 'deploy:platform:start_app', retry: true });
  });

  it('confirms a restart with the address only', async () => {
    const { operations } = await setUp({ status: 200, body: { state: 'running' } });
    await expect(operations.restart(shop)).rejects.toMatchObject({ code: 'deploy:platform:start_app' });
  });

  it('removes an application that is gone already', async () => {
    const { operations, api } = await setUp({ status: 404, body: { error: 'None.' } });
    await operations.remove(shop);
    expect(api.received).toMatchObject([{ method: 'DELETE', url: '/apps/kiwi/shop' }]);
  });
});

describe('a variable by the platform API', () => {
  it.each([
    [400, 'request:bad_parameter'],
    [413, 'request:too_large'],
    [500, 'request:failed'],
  ])('that is refused with %i is %s, in the words of the platform and without its value', async (status, code) => {
    const { variables } = await setUp({ status, body: { error: 'PORT is set by the platform.' } });
    const error = await variables.set(shop, { PORT: canary }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code, detail: expect.stringContaining('PORT is set by the platform.') });
    expect(error.message).not.toContain(canary);
  });

  it('is sent alone, so that the others stay as they are', async () => {
    const { variables, api } = await setUp({ status: 200 });
    expect(await variables.set(shop, { TOKEN: canary })).toBe(true);
    expect(api.received).toMatchObject([
      { method: 'PATCH', url: '/apps/kiwi/shop/env', body: JSON.stringify({ TOKEN: canary }) },
    ]);
  });
});

describe('the output by the platform API', () => {
  const signal = new AbortController().signal;
  const line = { at: '2026-01-01T00:00:00.000Z', stream: 'stdout', line: 'one\u2028two' };

  it('is read line by line, without heartbeats and what is no line', async () => {
    const body = `\n${JSON.stringify(line)}\n\nnot json\n{"at":7}\n${JSON.stringify(line)}\n{"at":"cut`;
    const { output, api } = await setUp({ status: 200, body });
    const batches = await output.read(shop, { lines: 5, follow: true }, signal);
    const all: unknown[] = [];
    for await (const batch of batches ?? []) all.push(...batch);
    expect(all).toEqual([line, line]);
    expect(api.received).toMatchObject([
      { url: '/apps/kiwi/shop/logs?lines=5&follow=true', headers: { authorization, accept: 'application/x-ndjson' } },
    ]);
  });

  it.each([[{ status: 500 }], ['hang up']] as const)('fails before its first line for %j', async (reply) => {
    const { output } = await setUp(reply);
    const read = output.read(shop, { lines: 1, follow: false }, signal);
    await expect(read).rejects.toMatchObject({ code: 'request:failed', retry: true });
  });

  it('is not asked for under a name that would be another path', async () => {
    const { output, api } = await setUp();
    expect(await output.read({ ...shop, app: '..' }, { lines: 1, follow: false }, signal)).toBeNull();
    expect(api.received).toEqual([]);
  });
});
