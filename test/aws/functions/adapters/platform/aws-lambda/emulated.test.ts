import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { lambdaAppHealth } from '../../../../../../functions/adapters/platform/aws-lambda/run/app-health.ts';
import { tableAppEvents } from '../../../../../../functions/adapters/platform/aws-lambda/table/app-events.ts';
import { systemClock } from '../../../../../../functions/adapters/system/clock.ts';
import type { SnapshotRef } from '../../../../../../functions/core/ports/platform.ts';
import { endedInstanceIn } from '../../../../../../functions/triggers/platform-events.ts';
import { applicationsContract } from '../../../../../contracts/applications.ts';
import { hostingPlatformContract, uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { type EmulatedApps, emulatedApps } from '../../../../../support/aws-local/apps/emulated-apps.ts';
import { newFolder } from '../../../../../support/new-folder.ts';
import { tarball } from '../../../../../support/platform/embedded.ts';

// Each deploy is a real build and the start of a real program.
vi.setConfig({ testTimeout: 120_000 });

let apps: EmulatedApps;
beforeAll(async () => {
  apps = await emulatedApps();
});
afterAll(() => apps?.close());

/** The suites share the emulators; each has a user of its own. */
const openFor = (user: string) => async () => ({ ...apps, user, close: async () => {} });

hostingPlatformContract('AWS Lambda on the emulators', openFor('kiwi'));
applicationsContract('AWS Lambda on the emulators', openFor('lime'));

/** Uploads, builds and starts an application, and returns its address. */
async function deploy(snapshot: SnapshotRef, bytes: Buffer): Promise<string> {
  const { platform } = apps;
  await platform.ensureApp(snapshot, { name: snapshot.app });
  await platform.upload(snapshot, uploadOf(bytes));
  await platform.activate(snapshot);
  const isBuilt = async () => (await platform.poll(snapshot)).state === 'ready';
  await vi.waitUntil(isBuilt, { timeout: 60_000, interval: 100 });
  return (await platform.start(snapshot)).url;
}

describe('an application on the emulators', () => {
  it('can be a site without a server', async () => {
    const site = { user: 'plum', app: 'site', snapshot: '1.0.0-1' };
    const scripts = { build: 'mkdir dist && cp page.html dist/index.html' };
    const files = {
      'package.json': JSON.stringify({ name: 'site', version: '1.0.0', scripts }),
      'page.html': 'a site',
    };
    const url = await deploy(site, await tarball(files));
    const answer = await fetch(`${url}/any/path`);
    expect([await answer.text(), answer.headers.get('content-type')]).toEqual(['a site', 'text/html; charset=utf-8']);
  });
});

describe('an application on the emulators that streams', () => {
  it('answers while it still writes, and with more than the 6 MB of an answer that is not streamed', async () => {
    const app = { user: 'plum', app: 'streams', snapshot: '1.0.0-1' };
    const server = `require('node:http').createServer(({ url }, response) => {
      if (url === '/large') return response.end(Buffer.alloc(8 * 1024 * 1024));
      if (url !== '/events') return response.end('well');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\\n\\n');
      setTimeout(() => response.end('data: last\\n\\n'), 3000);
    }).listen(process.env.PORT, process.env.HOST);`;
    const manifest = JSON.stringify({ name: 'streams', version: '1.0.0' });
    const url = await deploy(app, await tarball({ 'package.json': manifest, 'server.js': server }));
    const events = await fetch(`${url}/events`);
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: first\n\n');
    const began = performance.now();
    expect((await reader?.read())?.value).toBe('data: last\n\n');
    expect(performance.now() - began).toBeGreaterThan(500);
    expect((await (await fetch(`${url}/large`)).arrayBuffer()).byteLength).toBe(8 * 1024 * 1024);
  });
});

describe('an application on the emulators that ends by itself', () => {
  const shop = { user: 'plum', app: 'falling', snapshot: '1.0.0-1' };
  let broken: string;
  let url: string;

  beforeAll(async () => {
    broken = join(newFolder('broken'), 'broken');
    const server = `const { existsSync } = require('node:fs');
      const broken = ${JSON.stringify(broken)};
      if (existsSync(broken)) throw new Error('no table ' + process.env.TABLE);
      require('node:http').createServer(({ url }, response) => {
        if (url === '/end') { console.log('ending'); process.exit(3); }
        response.end('well');
      }).listen(process.env.PORT, process.env.HOST);`;
    const manifest = JSON.stringify({ name: 'falling', version: '1.0.0' });
    await apps.platform.ensureApp(shop, { name: 'falling' });
    await apps.variables.set(shop, { TABLE: 'a-secret-table' });
    url = await deploy(shop, await tarball({ 'package.json': manifest, 'server.js': server }));
  });

  /** Health at a time of one's choice, so that an application may be asked again. */
  const health = (laterMs = 0) =>
    lambdaAppHealth({ ...apps.parts, clock: { ...systemClock, now: () => Date.now() + laterMs } });
  const end = async () => {
    expect((await fetch(`${url}/end`)).status).toBe(502);
    return endedInstanceIn(await apps.notice()) ?? expect.unreachable();
  };
  const state = async () => (await apps.applications.find(shop))?.state;
  const events = async () => (await tableAppEvents(apps.parts.table, apps.parts.clock).after(0)).events;

  it('is not crashed when it answers after that, and is asked once a minute at most', async () => {
    const notice = await end();
    await health().ended(notice);
    await writeFile(broken, '');
    await health().ended(notice);
    expect([await state(), await events()]).toEqual(['running', []]);
  });

  it('is crashed when it does not start again, with the reason and the last lines but not its variables', async () => {
    const response = await fetch(`${url}/end`);
    expect(response.status).toBe(502);
    await health(60_000).ended(endedInstanceIn(await apps.notice()) ?? expect.unreachable());
    expect(await state()).toBe('crashed');
    const [event] = await events();
    expect(event).toMatchObject({
      ...shop,
      state: 'crashed',
      reason: 'The application crashed and does not start again: Error: no table *** (server.js:3).',
      log: expect.arrayContaining([expect.stringContaining('no table ***')]),
    });
    await health().recheck();
    expect(await state()).toBe('crashed');
  });

  it('runs again when it answers', async () => {
    await health(10 * 60_000).recheck();
    expect(await state()).toBe('crashed');
    await rm(broken);
    await health(20 * 60_000).recheck();
    expect(await state()).toBe('running');
    expect(await events()).toMatchObject([{ ...shop, state: 'running', reason: null, log: [] }]);
    expect(await (await fetch(url)).text()).toBe('well');
  });
});

describe('the emulators', () => {
  it('know every call of the platform and every parameter', () => {
    expect(apps.warnings).toEqual([]);
  });
});
