import { once } from 'node:events';
import { request } from 'node:http';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Processes } from '../../../../functions/api/shapes/processes.ts';
import type { UsedRunner } from '../../../../lib/platform/desired/applications.ts';
import { Usage } from '../../../../lib/runner/usage.ts';
import { Week } from '../../../../lib/runner/week.ts';
import { appFiles, deploy, hello, type PlatformUnderTest, platform, until } from '../../../support/platform/harness.ts';

/** Answers a path with the status that it names, and /never not at all; a WebSocket too. */
const answers = `
const server = require('node:http').createServer((q, s) => {
  if (q.url !== '/never') s.writeHead(Number(q.url.slice(1)) || 200).end();
});
server.on('upgrade', (q, socket) => {
  socket.end('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
});
server.listen(process.env.PORT, process.env.HOST);`;

const fail = (error: Error) => {
  throw error;
};

const usageOf = async (at: PlatformUnderTest) => {
  const shown = await at.processes.list(hello);
  const { usage = [] } = v.parse(Processes, shown);
  const sum: Record<string, number> = {};
  for (const { requests } of usage)
    for (const [of, count] of Object.entries(requests)) sum[of] = (sum[of] ?? 0) + count;
  return { sum, memory: usage.findLast(({ memory }) => memory !== null)?.memory ?? 0 };
};

describe('what is counted of an application', () => {
  it('is each request with the class of its status, by its port and by its name, and its memory', async () => {
    const at = await platform({ limits: { usageMs: 50 } });
    const app = await deploy(at, 'hello', '1', appFiles('hello', answers));
    // The check at its start is no request of anybody.
    expect((await usageOf(at)).sum).toEqual({});
    const host = `hello.ada.localhost:${new URL(at.url).port}`;
    for (const path of ['', '204', '304', '404', '500', '503']) await fetch(`${app.url}/${path}`);
    await ended(at.url, '/404', { host });
    await ended(app.url, '/', { connection: 'Upgrade', upgrade: 'websocket' });
    const left = request(`${app.url}/never`).once('error', () => undefined);
    left.end();
    await once(left, 'finish');
    left.destroy();
    await until('that one has left', async () => (await usageOf(at)).sum['4xx'] === 3);
    expect((await usageOf(at)).sum).toEqual({ '2xx': 2, '3xx': 1, '4xx': 3, '5xx': 2 });
    await until('its memory', async () => (await usageOf(at)).memory > 10e6);
  });

  it('is kept for an hour, by minutes, of which those with nothing are left out', () => {
    let now = Date.parse('2026-01-01T10:00:30Z');
    const usage = new Usage(new Week({ path: '/none', onFailure: fail }), () => now);
    const pass = (minutes: number) => {
      now += minutes * 60_000;
    };
    usage.count(200);
    usage.count(204);
    usage.hasMemory(20);
    usage.hasMemory(10);
    pass(59);
    usage.count(503);
    // The memory is that of the last minute that has one.
    expect(usage.total()).toEqual({ requests: 3, memory: 20 });
    expect(usage.shown()).toEqual([
      { at: '2026-01-01T10:00:00.000Z', requests: { '2xx': 2 }, memory: 20 },
      { at: '2026-01-01T10:59:00.000Z', requests: { '5xx': 1 }, memory: null },
    ]);
    pass(1);
    expect(usage.shown().map(({ requests }) => requests)).toEqual([{ '5xx': 1 }]);
    pass(60);
    expect([usage.shown(), usage.total()]).toEqual([[], { requests: 0, memory: null }]);
  });
});

describe('the list of applications', () => {
  it('has what each has used, by one question to what runs them', async () => {
    const asked: unknown[] = [];
    const runner = (used: UsedRunner): UsedRunner => ({
      ...used,
      states: (of) => {
        asked.push(of);
        return used.states(of);
      },
    });
    const at = await platform({ limits: { usageMs: 50 }, runner });
    const app = await deploy(at, 'hello', '1', appFiles('hello', answers));
    await deploy(at, 'other', '1', appFiles('other', answers));
    await at.hosting.ensureApp({ user: 'bob', app: 'theirs' }, {});
    for (const path of ['', '404', '500']) await fetch(`${app.url}/${path}`);
    await until('its memory', async () => ((await at.applications.find(hello))?.used?.memory ?? 0) > 10e6);
    asked.length = 0;
    const list = await at.applications.list('ada');
    expect(list.map(({ name, state, used }) => [name, state, used?.requests])).toEqual([
      ['hello', 'running', 3],
      ['other', 'running', 0],
    ]);
    expect(asked).toEqual([{ user: 'ada' }]);
    await at.operations.stop(hello);
    expect(await at.applications.list('bob')).toMatchObject([{ state: 'never' }]);
    expect((await at.applications.list('ada'))[0]).toMatchObject({ state: 'stopped' });
  });
});

function ended(url: string, path: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = request(`${url}${path}`, { headers });
    asking.once('error', reject).once('response', (answer) => answer.resume().once('end', resolve));
    asking.once('upgrade', (_answer, socket) => {
      socket.destroy();
      resolve();
    });
    asking.end();
  });
}
