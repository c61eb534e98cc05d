import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { buildMemoryOf } from '../../../../lib/platform/build/build-limits.ts';
import { memoryLimitOf, memoryWatch } from '../../../../lib/runner/limits/memory-watch.ts';
import {
  appFiles,
  appOf,
  build,
  deploy,
  eventsOf,
  hello,
  logsOf,
  platform,
  refusalOf,
  serverFile,
  until,
} from '../../../support/platform/harness.ts';

/**
 * A program of Node starts with 45 MB; this one takes 200 MB more at a request for /more, also in a child that is no
 * Node.
 */
const LIMIT_MB = 150;
const limits = { memoryCheckMs: 50, crashPauseMs: 20, graceMs: 500 };
const more = "if (q.url === '/more') global.kept = Buffer.alloc(200 * 1024 * 1024, 1);";
const growing = serverFile('small').replace('=> s.end', `=> { ${more} s.end`).replace('"small")', '"small"); }');

describe('The memory limit of an application', () => {
  it('is the most specific one of the configuration', () => {
    const all = { '*': 512, ann: 256, 'ann/shop': 1024 };
    const of = (user: string, app: string) => memoryLimitOf(all, { user, app });
    expect([of('ben', 'blog'), of('ann', 'blog'), of('ann', 'shop')]).toEqual([512, 256, 1024]);
    expect(memoryLimitOf({}, { user: 'ann', app: 'shop' })).toBeUndefined();
    // A name that every object has a field of.
    expect(memoryLimitOf({}, { user: 'constructor', app: 'shop' })).toBeUndefined();
  });

  it('ends an application that uses more, which is started again; the third time in an hour it is said to crash', async () => {
    const at = await platform({ limits, memoryLimits: { '*': LIMIT_MB } });
    const app = await deploy(at, 'hello', '1', appFiles('hello', growing));
    const state = async () => (await at.applications.find(hello))?.state;
    const printed = () => logsOf(at);
    const overruns = async () => (await printed()).split('used more than 150 MB; ').length - 1;

    for (const before of [0, 1, 2]) {
      await fetch(`${app.url}/more`).catch(() => undefined);
      // Not its answers: requests fail already while its end has not been noticed yet.
      await until('its end', async () => (await overruns()) > before);
      await until('it runs again', async () => (await state()) === 'running');
    }

    const reason = 'The application crashed too often and is tried again every minute: 1 used more than 150 MB.';
    await until('the event', async () => (await eventsOf(at)).some((event) => event.reason === reason));
    expect(await printed()).toMatch(/1 used more than 150 MB; next start in \d+ ms/);
  });

  it.each([
    ['whatever they are', 'sh'],
    // What has left the group of its application is found in /proc.
    ...(process.platform === 'linux' ? [['also those that have left it', 'setsid']] : []),
  ])('counts the processes that the application starts, %s', async (_, program) => {
    const at = await platform({ limits, memoryLimits: { ada: LIMIT_MB } });
    // tail keeps what it has not written yet.
    const command = 'head -c 250000000 /dev/zero | tail -c 250000000 | sleep 60';
    const words = [...(program === 'sh' ? [] : ['--fork', 'sh']), '-c', command];
    const child = `require('node:child_process').spawn('${program}', ${JSON.stringify(words)});`;
    const failed = await refusalOf(
      deploy(at, 'hello', '1', appFiles('hello', `setTimeout(() => {}, 60000); ${child}`)),
    );
    expect(failed.error).toBe('The application used more than 150 MB of memory, its limit, before it answered.');
  });

  it('is measured more often above half of it, without a look at all processes each time', async () => {
    const looks: (readonly number[] | undefined)[] = [];
    const watch = memoryWatch(500, async ([{ pgid } = { pgid: 0 }], members) => {
      looks.push(members?.map(({ pid }) => pid));
      return [{ pid: 7, pgid, bytes: (looks.length === 1 ? 4 : 6) * 1024 * 1024 }];
    });
    const stop = watch.watch({ pgid: 1, limitMb: 10 }, () => expect.fail('it uses less'));
    await expect.poll(() => looks.length).toBeGreaterThan(13);
    stop();
    expect(looks.slice(0, 13)).toEqual([undefined, undefined, ...Array(9).fill([7]), undefined, [7]]);
  });

  it('is measured only while something is watched', async () => {
    let measured = 0;
    const watch = memoryWatch(5, async (groups) => {
      measured += 1;
      return groups.map(({ pgid }) => ({ pid: pgid, pgid, bytes: 10 * 1024 * 1024 }));
    });
    await pause(30);
    expect(measured).toBe(0);
    const ended: string[] = [];
    const stop = watch.watch({ pgid: 1, limitMb: 20 }, () => ended.push('the small one'));
    watch.watch({ pgid: 2, limitMb: 5 }, () => ended.push('the large one'));
    await expect.poll(() => ended).toEqual(['the large one']);
    stop();
    await expect
      .poll(async () => {
        const before = measured;
        await pause(30);
        return measured - before;
      })
      .toBe(0);
  });
});

describe('The memory limit of a build', () => {
  const atMost = (files: Record<string, string>, scripts: Record<string, string>) => ({
    ...appFiles('hello', serverFile('small')),
    ...files,
    'package.json': JSON.stringify({
      name: 'hello',
      version: '1.0.0',
      scripts: { start: 'node server.js', ...scripts },
    }),
  });
  const allocating = 'const all = []; setInterval(() => all.push(Buffer.alloc(20e6, 1)), 5);';
  const ended = 'used more than 300 MB of memory, the limit of a build ("memoryLimits" in config.json).';
  const limited = () => platform({ limits: { ...limits, buildMemoryMb: 300 }, memoryLimits: { '*': LIMIT_MB } });

  it('is that of its application, but not below 1 GB, and three quarters of the machine by default', () => {
    const all = { '*': 150, ann: 2_000, 'ann/shop': 9_000 };
    const of = (what: string) => buildMemoryOf(all, what, 1_024, 4_000);
    expect([of('ben/blog build'), of('ann/blog'), of('ann/shop unpack')]).toEqual([1_024, 2_000, 9_000]);
    expect(buildMemoryOf({}, 'constructor/shop build', 1_024, 4_000)).toBe(3_000);
    expect(buildMemoryOf(all, 'ben/blog', 1_024, 1_000)).toBe(750);
    expect(buildMemoryOf({}, 'ben/blog', 1_024)).toBeGreaterThan(0);
  });

  it('ends one that uses more, with the limit in its reason; another build, and the application, go on', async () => {
    const at = await limited();
    const app = await deploy(at, 'hello', '1', appFiles('hello', serverFile('small')));
    const patient = { 'wait.js': "setTimeout(() => console.log('built'), 3000)" };
    const [large, small] = await Promise.all([
      build(at, 'hello', '2', atMost({ 'all.js': allocating }, { build: 'node all.js' })),
      build(at, 'other', '1', atMost(patient, { build: 'node wait.js' })),
    ]);
    expect(large.reason).toBe(`npm run build ${ended}`);
    expect(small).toMatchObject({ state: 'ready', reason: null });
    expect(await (await fetch(app.url)).text()).toBe('small');
    await at.operations.remove(appOf('other'));
  });

  it('holds for its release command, and for what that has left behind', async () => {
    const at = await limited();
    const words = ['--fork', process.execPath, 'all.js'];
    const program =
      process.platform === 'linux' ? `'setsid', ${JSON.stringify(words)}` : "process.execPath, ['all.js']";
    const release = `require('node:child_process').spawn(${program}); setTimeout(() => {}, 60000);`;
    const files = atMost(
      { 'all.js': allocating, 'release.js': release, Procfile: 'web: node server.js\nrelease: node release.js' },
      {},
    );
    expect((await build(at, 'hello', '1', files)).reason).toBe(`The release command of the Procfile ${ended}`);
  });
});
