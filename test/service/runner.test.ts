import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asking } from '../support/service/asking.ts';
import { gitFolder } from '../support/service/git-folder.ts';
import { runningIn, signalIfThere } from '../support/service/processes.ts';
import { dataFolder, gone, type ServiceProcess, startProcess } from '../support/service/service-process.ts';

const sampleAt = /The sample application answers at {2}(\S+)/;
const READY = /Ctrl-C ends everything/;
/** Longer than any start of the service here. */
const LINGER_SECONDS = 120;

/** Counts aloud, and has a cron job that takes two seconds. */
const COUNTING = {
  'server.js': `process.stdout.on('error', () => {});
let count = 0;
setInterval(() => console.log('count', ++count), 20);
require('node:http').createServer((_, s) => s.end(String(process.pid))).listen(process.env.PORT);`,
  // Two processes: the shell, and the server.
  Procfile: 'web: node server.js; exit $?',
  'job.js': "setTimeout(() => console.log('job done'), 2000);",
  'app.json': JSON.stringify({ cron: [{ command: 'node job.js', schedule: '* * * * * *' }] }),
};

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')('The applications, while the service is restarted', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let url: string;

  const begin = async (lingerSeconds = LINGER_SECONDS) => {
    service = startProcess({ dataDir, lingerSeconds });
    await service.printed(READY);
    return (await service.printed(sampleAt))[1] ?? '';
  };
  const runner = () => runningIn(dataDir).find(({ command }) => command.includes('runner.cjs'));
  const log = () => readFileSync(join(dataDir, 'platform/apps/demo/hello/app.log'), 'utf8');
  const pid = async () => (await fetch(url)).text();

  beforeAll(async () => {
    dataDir = dataFolder('runner');
    url = await begin();
    const tree = gitFolder(join(process.cwd(), /git clone (\S+)/.exec(service.output())?.[1] ?? ''));
    tree.git('fetch', '--quiet', 'origin', 'main');
    tree.git('checkout', '--quiet', '-B', 'main', 'origin/main');
    tree.commit(COUNTING);
    await tree.push();
  });
  afterAll(async () => {
    service.kill();
    await service.ended;
    for (const { pid } of runningIn(dataDir)) signalIfThere(pid, 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('answer every request, asked every 5 ms while it is killed and started again; log and cron go on', async () => {
    await expect.poll(pid).toMatch(/^\d+$/);
    const before = await pid();
    const asked = asking(url);
    await expect.poll(log).toContain('@cron.1 runs node job.js');
    service.kill();
    await service.ended;
    await setTimeout(500);
    expect(await begin()).toBe(url);
    await setTimeout(500);
    const { failed, count } = await asked.end();

    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(100);
    expect(await pid()).toBe(before);
    const counts = [...log().matchAll(/ stdout count (\d+)$/gm)].map(([, number]) => Number(number));
    expect(counts).toEqual(counts.map((_, at) => at + 1));
    expect(log()).not.toMatch(/@cron\.1 .*SIG/);
    await expect.poll(log).toMatch(/@cron\.1 exited with code 0 after [2-9]\.\d s/);
  });

  it('answer again when what runs them is killed, with the reason in the log', async () => {
    const before = await pid();
    signalIfThere(runner()?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => pid().catch(() => before)).not.toBe(before);
    const record = readFileSync(join(dataDir, 'service.log'), 'utf8');
    expect(record).toContain('The runner of the applications has ended: it is started again.');
    const second = await pid();
    signalIfThere(runner()?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => pid().catch(() => second)).not.toBe(second);
    const reason = 'The runner of the applications has ended (SIGKILL): it is started again.';
    expect(readFileSync(join(dataDir, 'service.log'), 'utf8')).toContain(reason);
  });

  it('end at once when the service and what runs them are killed at the same moment', async () => {
    const servers = () => runningIn(dataDir).filter(({ command }) => command.includes('server.js'));
    await expect.poll(servers).toHaveLength(2);
    const family = servers();
    signalIfThere(runner()?.pid ?? 0, 'SIGKILL');
    service.kill();
    await service.ended;
    await gone(family);
    await begin();
  });

  it('end with the service on Ctrl-C', async () => {
    const family = runningIn(dataDir);
    expect(family.length).toBeGreaterThan(1);
    service.signalGroup('SIGINT');
    expect(await service.ended).toBe(0);
    await gone(family, dataDir);
  });

  it('end some time after a kill of the service, when it is not started again', async () => {
    await begin(1);
    const family = runningIn(dataDir);
    service.kill();
    await gone(family, dataDir);
  });
});
