import { expect, it } from 'vitest';
import { httpAppProcesses } from '../../../../../../functions/adapters/platform/http/applications.ts';
import { apiServer, type Reply } from '../../../../../support/api-server.ts';

const shop = { user: 'kiwi', app: 'shop' };
const worker = { name: 'worker.1', type: 'worker', command: 'node worker.js', state: 'running' };
const job = { name: 'cron.1', schedule: '@daily', command: 'node clean.js', running: null, next: null };
const last = { at: '2026-11-23T09:00:00.000Z', seconds: 1.5, exit: 3 };
const running = {
  processes: [{ ...worker, since: '2026-11-23T09:00:00.000Z', restarts: 0, memory: 4096 }],
  cron: [
    { ...job, last },
    { ...job, running: last.at, last: null, next: last.at },
  ],
  scale: { web: 1, worker: 1 },
};

async function setUp(reply: Reply) {
  const api = await apiServer(reply);
  return { api, processes: httpAppProcesses({ url: api.url, serviceToken: 'service-token-of-the-tests' }) };
}

it('reads and scales the processes of an application', async () => {
  const read = await setUp({ status: 200, body: running });
  expect(await read.processes.list(shop)).toEqual(running);
  expect(read.api.received).toMatchObject([{ method: 'GET', url: '/apps/kiwi/shop/processes' }]);

  const scaled = await setUp({ status: 200, body: running });
  expect(await scaled.processes.scale(shop, { worker: 2 })).toEqual(running);
  expect(scaled.api.received).toMatchObject([{ method: 'PATCH', body: '{"worker":2}' }]);
});

it('knows a process that is asleep, and a number that is auto', async () => {
  const body = {
    ...running,
    processes: [{ ...running.processes[0], name: 'web.1', type: 'web', state: 'asleep' }],
    scale: { web: 'auto' },
  };
  const { api, processes } = await setUp({ status: 200, body });
  expect(await processes.scale(shop, { web: 'auto' })).toEqual(body);
  expect(api.received).toMatchObject([{ method: 'PATCH', body: '{"web":"auto"}' }]);
});

it('a platform of an earlier version has no cron', async () => {
  const { cron: _, ...earlier } = running;
  const { processes } = await setUp({ status: 200, body: earlier });
  expect(await processes.list(shop)).toEqual({ ...running, cron: [] });
});

it.each([
  [400, 'request:bad_parameter'],
  [409, 'request:conflict'],
])("repeats the platform's sentence of a %s as %s", async (status, code) => {
  const { processes } = await setUp({ status, body: { error: 'shop has no process mailer.' } });
  await expect(processes.scale(shop, { mailer: 1 })).rejects.toMatchObject({
    code,
    detail: 'shop has no process mailer.',
  });
});

it('knows no processes of an unknown application, and does not understand other answers', async () => {
  expect(await (await setUp({ status: 404, body: { error: 'no' } })).processes.list(shop)).toBeNull();
  const { processes } = await setUp({ status: 200, body: { processes: [{ name: 'worker.1' }], scale: {} } });
  await expect(processes.list(shop)).rejects.toMatchObject({ code: 'request:failed', retry: true });
});
