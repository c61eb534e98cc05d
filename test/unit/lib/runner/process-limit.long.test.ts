import { describe, expect, it } from 'vitest';
import type { StartedGroup } from '../../../../lib/process/members.ts';
import { processLimitOf, processWatch } from '../../../../lib/runner/limits/process-watch.ts';
import {
  appFiles,
  build,
  deploy,
  eventsOf,
  hello,
  logsOf,
  platform,
  serverFile,
  until,
} from '../../../support/platform/harness.ts';
import { runningIn } from '../../../support/service/processes.ts';

const limits = { processCheckMs: 20, crashPauseMs: 20, graceMs: 500 };
/** A bomb that ends itself: at most so many processes, each of which sleeps. */
const bomb = (count: number) =>
  `for (let one = 0; one < ${count}; one += 1) require('node:child_process').spawn('sleep', ['60'], { detached: one % 2 === 0, stdio: 'ignore' });`;
const atRequest = serverFile('small')
  .replace('=> s.end', `=> { if (q.url === '/more') { ${bomb(40)} } s.end`)
  .replace('"small")', '"small"); }');

describe('How many processes an application may have', () => {
  it('is the most specific limit of the configuration, or 256', () => {
    const all = { '*': 100, ann: 50, 'ann/shop': 500 };
    const of = (what: string) => processLimitOf(all, what);
    expect([of('ben/blog'), of('ann/blog'), of('ann/shop'), of('ann/shop build')]).toEqual([100, 50, 500, 500]);
    expect(processLimitOf({}, 'ann/shop')).toBe(256);
    // A name that every object has a field of.
    expect([processLimitOf({}, 'constructor/shop'), processLimitOf(all, 'toString/shop')]).toEqual([256, 100]);
  });

  // What has left the group of its application is found in /proc.
  it.runIf(process.platform === 'linux')(
    'is not passed: it is killed, started again, and the third time said to crash',
    async () => {
      const at = await platform({ limits, processLimits: { '*': 30 } });
      const app = await deploy(at, 'hello', '1', appFiles('hello', atRequest));
      const state = async () => (await at.applications.find(hello))?.state;

      const killed = async () => (await logsOf(at)).match(/started more than 30 processes/g);
      for (const times of [1, 2, 3]) {
        await fetch(`${app.url}/more`).catch(() => undefined);
        await until('its end', async () => (await killed())?.length === times, 60_000);
        await until('it runs again', async () => (await state()) === 'running', 60_000);
      }

      const reason =
        'The application crashed too often and is tried again every minute: 1 started more than 30 processes.';
      await until('the event', async () => (await eventsOf(at)).some((event) => event.reason === reason));
      await until('the end of all', async () =>
        runningIn(at.dataDir).every(({ command }) => !command.includes('sleep')),
      );
    },
  );

  it('holds for a build, too', async () => {
    const at = await platform({ limits, processLimits: { ada: 30 } });
    const files = { ...appFiles('hello', serverFile('small')), 'bomb.js': `${bomb(60)} setTimeout(() => {}, 60000);` };
    const manifest = { name: 'hello', version: '1.0.0', scripts: { start: 'node server.js', build: 'node bomb.js' } };
    const built = await build(at, 'hello', '1', { ...files, 'package.json': JSON.stringify(manifest) });
    expect(built.reason).toBe(
      'npm run build started more than 30 processes, the limit of a build ("processLimits" in config.json).',
    );
  });

  it('is counted only when the machine has more processes than before, or after a while', async () => {
    let all = 100;
    let counted = 0;
    let found = 10;
    const of = async (groups: readonly StartedGroup[]) => {
      counted += 1;
      return new Map(groups.map(({ pgid }) => [pgid, found]));
    };
    const watch = processWatch(5, { all: () => all, of });
    const ended: string[] = [];
    watch.watch({ pgid: 1, limit: 40 }, () => ended.push('it'));
    await expect.poll(() => counted).toBe(1);
    all += 9;
    found = 41;
    await expect.poll(() => counted).toBe(2);
    expect(ended).toEqual(['it']);
    const never = processWatch(1, { all: () => 100, of });
    expect(counted).toBe(2);
    never.watch({ pgid: 2, limit: 50 }, () => ended.push('never'))();
    await expect.poll(() => counted).toBe(2);
  });
});
