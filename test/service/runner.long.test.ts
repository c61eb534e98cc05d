import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asking } from '../support/service/asking.ts';
import { CountingService } from '../support/service/counting.ts';
import { openIn, runningIn } from '../support/service/processes.ts';
import { dataFolder, gone } from '../support/service/service-process.ts';

/** Longer than any start of the service here. */
const LINGER_SECONDS = 120;

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')('The applications, when what runs them is killed', () => {
  let counting: CountingService;
  const id = () => counting.id();
  const record = () => readFileSync(join(counting.dataDir, 'service.log'), 'utf8');

  beforeAll(async () => {
    counting = new CountingService(dataFolder('killed-runner'), { lingerSeconds: LINGER_SECONDS });
    await counting.ready();
    await counting.takePorts();
    // How the first one ends is unknown to the service that has taken it over: it is no child of it.
    await counting.kill();
    await counting.begin();
  });
  afterAll(async () => {
    await counting.close();
  });

  it('answer again when what runs them is killed, with the reason in the log', async () => {
    const before = await id();
    counting.killRunners();
    await expect.poll(() => id().catch(() => before)).not.toBe(before);
    expect(record()).toContain('The runner of the applications has ended: it is started again.');
  });

  it('leave the ports of the service to the next runner, for which who calls them waits', async () => {
    for (const isBoth of [false, false, true]) {
      const before = await id();
      const [killed] = counting.runners();
      counting.killRunners();
      if (isBoth) await counting.kill();
      const asked = counting.addresses().map((address) => asking(address));
      if (isBoth) await counting.begin();
      await expect.poll(() => id().catch(() => before)).not.toBe(before);
      for (const one of asked) expect((await one.end()).failed).toEqual([]);
      const [next, ...others] = counting.runners();
      expect(others).toEqual([]);
      expect(next?.pid).not.toBe(killed?.pid);
    }
    expect(counting.taken()).toEqual([]);
  });

  it('have none of the sockets open that a runner has of the one before', async () => {
    const [runner] = counting.runners();
    const sockets = openIn(runner?.pid ?? 0).filter((file) => file.startsWith('socket:'));
    expect(sockets.length).toBeGreaterThan(6);
    const servers = () => runningIn(counting.dataDir).filter(({ command }) => command.startsWith('node server.js'));
    await expect.poll(() => servers().length).toBe(1);
    const open = servers().flatMap(({ pid }) => openIn(pid));
    expect(open.length).toBeGreaterThan(3);
    expect(open.filter((file) => sockets.includes(file))).toEqual([]);
  });

  it('end at once when the service and what runs them are killed at the same moment', async () => {
    const servers = () =>
      runningIn(counting.dataDir).filter(({ command }) => /^(?:\S*sh|node) .*server\.js/.test(command));
    // An isolated one has a shell of its sandbox besides.
    await expect.poll(() => servers().length).toBeGreaterThanOrEqual(2);
    const family = servers();
    counting.killRunners();
    await counting.kill();
    await gone(family);
    await counting.begin();
  });

  it('end some time after a kill of the service, when it is not started again', async () => {
    counting.service.signalGroup('SIGINT');
    await counting.service.ended;
    await counting.begin({ lingerSeconds: 1 });
    const family = runningIn(counting.dataDir);
    await counting.kill();
    await gone(family, counting.dataDir);
  });
});
