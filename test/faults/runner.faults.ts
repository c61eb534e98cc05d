import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../lib/http/ports.ts';
import { cli } from '../support/cli.ts';
import { asking } from '../support/service/asking.ts';
import { startCaddy } from '../support/service/caddy.ts';
import { CountingService } from '../support/service/counting.ts';
import { project } from '../support/service/place.ts';
import { runningIn } from '../support/service/processes.ts';
import { dataFolder } from '../support/service/service-process.ts';
import { budget } from './budget.ts';

const HOST = 'hello.demo.localhost';

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')(
  `applications, when what runs them changes, KILLS=${budget.kills}`,
  () => {
    const upgraded = dataFolder('upgraded');
    let counting: CountingService;
    let port: number;
    const id = () => counting.id();
    const other = { command: [process.execPath, 'bin/run.mjs', 'local'], folder: upgraded };

    beforeAll(async () => {
      otherVersion(upgraded);
      port = await freePort();
      counting = new CountingService(dataFolder('runner-faults'), { lingerSeconds: 600, port });
      await counting.ready();
    });
    afterAll(async () => {
      await counting.close();
      rmSync(upgraded, { recursive: true, force: true, maxRetries: 5 });
    });

    it('answer every request while the service is killed and started, each second time in another version', async () => {
      const { url, dataDir } = counting;
      const publicPort = await freePort();
      const printed = await cli('server --caddy', {
        env: {
          ...{ DATA_DIR: dataDir, PORT: String(port) },
          ...{ PUBLIC_URL: `https://deploy.apps.test:${publicPort}`, APPS_DOMAIN: 'apps.test' },
        },
      });
      const { platform } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8'));
      const { ca, stop } = await startCaddy(printed.out, publicPort);
      const tls = { ca, servername: HOST, headers: { host: HOST } };
      // It gets its certificate with the first request, for which Caddy asks the service.
      expect(await asking(`https://127.0.0.1:${publicPort}`, tls).end()).toMatchObject({ failed: [] });
      await counting.takePorts();
      let count = 0;
      for (let round = 1; round <= budget.kills; round += 1) {
        const before = await id();
        const isUpgrade = round % 2 === 1;
        const asked = [
          asking(url),
          asking(`http://127.0.0.1:${platform}`, { headers: { host: HOST } }),
          asking(`https://127.0.0.1:${publicPort}`, tls),
        ];
        await counting.kill();
        // What the service was answering at the kill is cut.
        asked.push(...counting.addresses().map((address) => asking(address)));
        await counting.begin(round % 4 === 1 || round % 4 === 2 ? { other } : {});
        expect(counting.url).toBe(url);
        if (isUpgrade) await expect.poll(id, { timeout: 120_000 }).not.toBe(before);
        await expect.poll(() => counting.runners(), { timeout: 120_000 }).toHaveLength(1);
        for (const one of asked) {
          const { failed, count: more } = await one.end();
          expect(failed, `round ${round}`).toEqual([]);
          count += more;
        }
        if (!isUpgrade) expect(await id()).toBe(before);
      }
      await stop();
      expect(counting.taken()).toEqual([]);
      for (const counts of counting.counts().values()) expect(counts).toEqual(counts.map((_, at) => at + 1));
      expect(counting.log()).not.toMatch(/@cron\.1 .*SIG/);
      console.log(
        `runner: ${budget.kills} kills with ${Math.ceil(budget.kills / 2)} upgrades, ${count} requests: 0 failed`,
      );
    });

    it('have an owner after each kill of the runner, of the service and of both', async () => {
      const programs = () =>
        runningIn(counting.dataDir)
          .map(({ command }) => /runner\.cjs|run\.mjs local|server\.js/.exec(command)?.[0])
          .filter((one) => one !== undefined)
          .sort();
      // What the first push has replaced ends some seconds later.
      const leftAfter = async () => {
        const before = programs();
        await setTimeout(6_000);
        return before.length - programs().length;
      };
      await expect.poll(leftAfter, { timeout: 120_000 }).toBe(0);
      const all = programs();
      const tree = counting.clone();
      let [count, pushes] = [0, 0];
      for (let round = 0; round < budget.kills; round += 1) {
        const before = await id();
        const kind = round % 3;
        if (kind !== 1) counting.killRunners();
        if (kind !== 0) await counting.kill();
        // From here on nobody is refused: what was being answered at the kill is cut.
        const asked = [...counting.addresses().map((address) => asking(address)), counting.webhook()];
        tree.commit({ round: `${round}` });
        const pushed = tree.push('main:beside').then(() => 1);
        if (kind !== 0) await counting.begin();
        pushes += await pushed;
        for (const one of asked) {
          const { failed, count: more } = await one.end();
          expect(failed, `round ${round}`).toEqual([]);
          count += more;
        }
        if (kind !== 1) await expect.poll(() => id().catch(() => before), { timeout: 60_000 }).not.toBe(before);
        await expect.poll(programs, { timeout: 60_000 }).toEqual(all);
      }
      expect(counting.taken()).toEqual([]);
      console.log(`runner: ${budget.kills} kills, ${count} requests and webhooks, ${pushes} pushes: 0 refused`);
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
