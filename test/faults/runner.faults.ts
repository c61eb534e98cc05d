import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asking } from '../support/service/asking.ts';
import { gitFolder } from '../support/service/git-folder.ts';
import { project } from '../support/service/place.ts';
import { runningIn, signalIfThere } from '../support/service/processes.ts';
import { dataFolder, type ServiceProcess, startProcess } from '../support/service/service-process.ts';
import { budget } from './budget.ts';

const sampleAt = /The sample application answers at {2}(\S+)/;
const READY = /Ctrl-C ends everything/;

/** Counts aloud, and has a job each second that takes two. */
const COUNTING = {
  Procfile: 'web: node server.js; exit $?',
  'server.js': `let count = 0;
process.stdout.on('error', () => {});
setInterval(() => console.log(process.pid, ++count), 20);
require('node:http').createServer((_, s) => s.end(String(process.pid))).listen(process.env.PORT);`,
  'job.js': "setTimeout(() => console.log('job done'), 2000);",
  'app.json': JSON.stringify({ cron: [{ command: 'node job.js', schedule: '* * * * * *' }] }),
};

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')(
  `applications, when what runs them changes, KILLS=${budget.kills}`,
  () => {
    const dataDir = dataFolder('runner-faults');
    const upgraded = dataFolder('upgraded');
    let service: ServiceProcess;
    let url = '';

    const begin = async (folder = project) => {
      const command = [process.execPath, 'bin/run.mjs', 'local'];
      service = startProcess({
        dataDir,
        lingerSeconds: 600,
        ...(folder !== project && { other: { command, folder } }),
      });
      await service.printed(READY);
      return (await service.printed(sampleAt))[1] ?? '';
    };
    const runners = () => runningIn(dataDir).filter(({ command }) => command.includes('runner.cjs'));
    const pid = async () => (await fetch(url)).text();
    const log = () => readFileSync(join(dataDir, 'platform/apps/demo/hello/app.log'), 'utf8');

    beforeAll(async () => {
      otherVersion(upgraded);
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
      for (const folder of [dataDir, upgraded]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    it('answer every request while the service is killed and started, each second time in another version', async () => {
      const { platform } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8'));
      let count = 0;
      for (let round = 1; round <= budget.kills; round += 1) {
        const before = await pid();
        const isUpgrade = round % 2 === 1;
        const asked = [asking(url), asking(`http://127.0.0.1:${platform}`, { host: 'hello.demo.localhost' })];
        service.kill();
        await service.ended;
        expect(await begin(round % 4 === 1 || round % 4 === 2 ? upgraded : project)).toBe(url);
        if (isUpgrade) await expect.poll(pid, { timeout: 120_000 }).not.toBe(before);
        await expect.poll(runners, { timeout: 120_000 }).toHaveLength(1);
        for (const one of asked) {
          const { failed, count: more } = await one.end();
          expect(failed, `round ${round}`).toEqual([]);
          count += more;
        }
        if (!isUpgrade) expect(await pid()).toBe(before);
      }
      const lines = [...log().matchAll(/ stdout (\d+) (\d+)$/gm)];
      for (const process of new Set(lines.map(([, process]) => process))) {
        const counts = lines.filter(([, one]) => one === process).map(([, , number]) => Number(number));
        expect(counts).toEqual(counts.map((_, at) => at + 1));
      }
      expect(log()).not.toMatch(/@cron\.1 .*SIG/);
      console.log(
        `runner: ${budget.kills} kills with ${Math.ceil(budget.kills / 2)} upgrades, ${count} requests: 0 failed`,
      );
    });

    it('have an owner after each kill of the runner, of the service and of both', async () => {
      const programs = () =>
        runningIn(dataDir)
          .map(({ command }) => /runner\.cjs|run\.mjs local|server\.js/.exec(command)?.[0])
          .filter((one) => one !== undefined)
          .sort();
      const all = programs();
      for (let round = 0; round < budget.kills; round += 1) {
        const before = await pid();
        const kind = round % 3;
        if (kind !== 1) for (const { pid: one } of runners()) signalIfThere(one, 'SIGKILL');
        if (kind !== 0) {
          service.kill();
          await service.ended;
          await begin();
        }
        if (kind !== 1) await expect.poll(() => pid().catch(() => before), { timeout: 60_000 }).not.toBe(before);
        await expect.poll(programs, { timeout: 60_000 }).toEqual(all);
      }
    });
  },
);

/** Makes a checkout with another version of the runner. */
function otherVersion(folder: string): void {
  const files = execFileSync('git', ['ls-files', 'bin', 'lib', 'functions', 'package.json', 'tsconfig.json'], {
    cwd: project,
  });
  for (const file of String(files).trim().split('\n')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(project, file), join(folder, file));
  }
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  const settings = join(folder, 'lib/runner/settings.ts');
  writeFileSync(settings, readFileSync(settings, 'utf8').replace('reopenMs: 1_500', 'reopenMs: 1_501'));
}
