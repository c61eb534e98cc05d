import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { PlatformEvent } from '../../../../lib/platform/settings.ts';
import { platformThread } from '../../../../lib/platform/thread/thread.ts';
import {
  afterwards,
  appFiles,
  call,
  deploy,
  serverFile,
  serviceToken,
  temporaryFolder,
} from '../../../support/platform/harness.ts';

/** Asks an address five times, then wakes the thread that waits for it. */
const VISITOR = `
const { url, answered } = require('node:worker_threads').workerData;
(async () => {
  for (let asked = 0; asked < 5; asked += 1) await (await fetch(url)).text();
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
})();
`;

/** This thread does nothing else for so long, unless the answers come. */
const BUSY_MS = 20_000;

async function started() {
  const folder = await temporaryFolder();
  const events: PlatformEvent[] = [];
  const thread = await platformThread({ log: (event) => events.push(event), warn: () => {} });
  afterwards(thread.close);
  const reserve = join(folder, 'reserve');
  await mkdir(reserve);
  const dataDir = join(folder, 'platform');
  const url = await thread.start({ dataDir, serviceToken, reserve, ports: join(folder, 'ports.json') });
  return { thread, url, events };
}

describe('A platform in a thread of its own', () => {
  it('answers for its applications while the thread that started it is busy', async () => {
    const at = await started();
    const { body } = await deploy(at, 'shop', '1', appFiles('shop', serverFile('open')));
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const visitor = new Worker(VISITOR, { eval: true, workerData: { url: body.url, answered } });
    await once(visitor, 'online');
    Atomics.wait(answered, 0, 0, BUSY_MS);
    expect(answered[0]).toBe(1);
    await visitor.terminate();
  });

  it('tells its events, and knows its hosts', async () => {
    const { thread, url, events } = await started();
    await deploy({ url }, 'shop', '1', appFiles('shop', serverFile('open')));
    await expect.poll(() => events.map(({ type }) => type)).toContain('app.serving');
    expect(await thread.hasHost('shop.ada.localhost')).toBe(true);
    expect(await thread.hasHost('other.ada.localhost')).toBe(false);
    await thread.serveUsers([]);
    expect((await call({ url }, 'GET', '/apps/ada')).status).toBe(404);
  });

  it('says why it has ended, and rejects what it was asked', async () => {
    const program = join(await temporaryFolder(), 'program.cjs');
    await writeFile(program, `setTimeout(() => { throw new Error('no memory') }, 200);`);
    const thread = await platformThread({ log: () => {}, warn: () => {}, program });
    const asked = thread.hasHost('shop.ada.localhost');
    await expect(asked).rejects.toThrow('no memory');
    expect((await thread.failed).message).toBe('no memory');
    await expect(thread.serveUsers([])).rejects.toThrow('no memory');
    await thread.close();
  });
});
