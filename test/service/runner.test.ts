import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asking } from '../support/service/asking.ts';
import { CountingService } from '../support/service/counting.ts';
import { openIn, runningIn } from '../support/service/processes.ts';
import { dataFolder, gone } from '../support/service/service-process.ts';

/** Longer than any start of the service here. */
const LINGER_SECONDS = 120;

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')('The applications, while the service is restarted', () => {
  let counting: CountingService;
  const id = () => counting.id();
  const log = () => counting.log();

  const dataDir = dataFolder('runner');
  const ofStarter = `${dataDir}-starter`;
  const inherited = openSync(ofStarter, 'w');

  beforeAll(async () => {
    counting = new CountingService(dataDir, { lingerSeconds: LINGER_SECONDS, inherited });
    await counting.ready();
  });
  afterAll(async () => {
    closeSync(inherited);
    rmSync(ofStarter);
    await counting.close();
  });

  it('have nothing open that the starter of the service has, and neither have the service and its builds', async () => {
    await expect.poll(id).toMatch(/^\d+$/);
    const pids = [counting.service.pid, ...runningIn(dataDir).map(({ pid }) => pid)];
    // The runner, and the shell and the server of the application.
    expect(pids.length).toBeGreaterThan(3);
    const targets = pids.flatMap(openIn);
    expect(targets).toContain(join(dataDir, 'platform/runner.log'));
    expect(targets).not.toContain(ofStarter);
  });

  it('answer every request, asked every 5 ms while it is killed and started again; log and cron go on', async () => {
    await expect.poll(id).toMatch(/^\d+$/);
    const before = await id();
    const { url } = counting;
    const asked = asking(url);
    await expect.poll(log).toContain('@cron.1 runs node job.js');
    await counting.kill();
    await setTimeout(500);
    await counting.begin();
    expect(counting.url).toBe(url);
    await setTimeout(500);
    const { failed, count } = await asked.end();

    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(100);
    expect(await id()).toBe(before);
    const counts = counting.counts().get(before) ?? [];
    expect(counts.length).toBeGreaterThan(50);
    expect(counts).toEqual(counts.map((_, at) => at + 1));
    expect(log()).not.toMatch(/@cron\.1 .*SIG/);
    await expect.poll(log).toMatch(/@cron\.1 exited with code 0 after [2-9]\.\d s/);
  });

  it('take none of its ports, and nobody who calls it is refused, while it is killed and started again', async () => {
    await counting.takePorts();
    await counting.kill();
    const asked = counting.addresses().map((address) => asking(address));
    // Longer than an application needs that tries every 5 ms.
    await setTimeout(500);
    await counting.begin();
    for (const one of asked) expect((await one.end()).failed).toEqual([]);
    expect(counting.taken()).toEqual([]);
  });

  it('end with the service on Ctrl-C', async () => {
    const family = runningIn(counting.dataDir);
    expect(family.length).toBeGreaterThan(1);
    counting.service.signalGroup('SIGINT');
    expect(await counting.service.ended).toBe(0);
    await gone(family, counting.dataDir);
  });
});
