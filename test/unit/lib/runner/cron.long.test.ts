import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CronJob } from '../../../../functions/core/ports/processes.ts';
import { appKey } from '../../../../lib/runner/calls.ts';
import { openRunner } from '../../../../lib/runner/open.ts';
import { releaseIn, specIn, startAt } from '../../../support/platform/app-spec.ts';
import {
  afterwards,
  appFiles,
  build,
  deploy,
  hello,
  isAlive,
  logsOf,
  type PlatformUnderTest,
  platform,
  serverFile,
  sharedPlatform,
  temporaryFolder,
  until,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();
const SECONDLY = '* * * * * *';
const YEARLY = '0 0 1 1 *';

/** Notes its process id in a file of `DATA_DIR` with its name, says `text`, and waits for a file `end` there. */
const job = (text: string) => `
  const { appendFileSync, existsSync, readFileSync } = require('node:fs');
  const { DATA_DIR, WORD = '' } = process.env;
  appendFileSync(DATA_DIR + '/pids', process.pid + ' ');
  console.log('${text} ' + WORD);
  setInterval(() => existsSync(DATA_DIR + '/end') && process.exit(Number(readFileSync(DATA_DIR + '/end'))), 20);`;

const files = (cron: unknown, text = 'first') => ({
  ...appFiles('hello', serverFile('up')),
  'job.js': job(text),
  'app.json': JSON.stringify({ cron }),
});
const jobs = (schedule: string) => [{ command: 'node job.js', schedule }];

const listed = async (at: PlatformUnderTest) => (await at.processes.list(hello))?.cron as readonly CronJob[];
const logs = (at: PlatformUnderTest) => logsOf(at, { lines: 1000, process: '@cron' });
const data = ({ dataDir }: PlatformUnderTest) => join(dataDir, 'apps/ada/hello/data');
const pids = async (at: PlatformUnderTest) =>
  (await readFile(join(data(at), 'pids'), 'utf8').catch(() => '')).trim().split(' ').filter(Boolean).map(Number);
const begun = (at: PlatformUnderTest, count = 1) =>
  until(`${count} began`, async () => (await pids(at)).length >= count);
/** In one step: the job reads the file as soon as it is there, and would read an empty one as 0. */
async function letEnd(at: PlatformUnderTest, code: number): Promise<void> {
  await writeFile(join(data(at), 'ending'), String(code));
  await rename(join(data(at), 'ending'), join(data(at), 'end'));
}

describe('cron of app.json', () => {
  it('runs at its time with the variables, and says how it ended; a run that is due meanwhile is skipped', async () => {
    const at = await platform();
    await at.hosting.ensureApp(hello, {});
    await at.variables.set(hello, { WORD: 'worked' });
    await deploy(at, 'hello', '1', files(jobs(SECONDLY)));
    await begun(at);
    await until('one was skipped', async () => (await logs(at)).includes('skipped'));
    expect((await listed(at))[0]).toMatchObject({
      name: '@cron.1',
      command: 'node job.js',
      schedule: SECONDLY,
      last: null,
    });
    expect((await pids(at)).length).toBe(1);

    await letEnd(at, 3);
    await until('it has ended', async () => (await listed(at))[0]?.last !== null);

    const printed = (await logs(at)).replaceAll(/^\S+ /gm, '').replaceAll(/\d+\.\d s/g, 'N s');
    // More than one may have been skipped.
    const said = [...new Set(printed.split('\n'))].slice(0, 4);
    // What a command prints may come after the next time that it is due.
    const lines = [
      'platform @cron.1: runs node job.js',
      '@cron.1: first worked',
      'platform @cron.1: is due and is skipped, because its last run is still going',
      expect.stringMatching(/^platform @cron\.1: exited with code 3 after N s; skipped meanwhile: \d+$/),
    ];
    expect(said).toEqual(expect.arrayContaining(lines));
    expect((await listed(at))[0]?.last).toMatchObject({ at: expect.any(String), seconds: expect.any(Number), exit: 3 });
    await begun(at, 2);
  });

  it('tells of the first failure, of the first success after it, and of the end of what its release had', async () => {
    const at = await platform({ limits: { incidentMs: 0 } });
    const told = async () => {
      const { events } = await at.events.after(0);
      return events.flatMap((one) => ('about' in one ? [`${one.state}: ${one.reason} ${one.log.at(-1) ?? ''}`] : []));
    };
    const failing = "console.error('Error: boom'); process.exit(fs.existsSync(process.env.DATA_DIR + '/end') ? 0 : 4)";
    const command = `node -e "${failing}"`;
    await deploy(at, 'hello', '1', files([{ command, schedule: SECONDLY }]));
    await until('it has failed twice', async () => (await logs(at)).split('exited with code 4').length > 2);
    const job = `The job ${JSON.stringify(command)} (${SECONDLY})`;
    expect(await told()).toEqual([`crashed: ${job} exited with code 4: Error: boom Error: boom`]);
    await letEnd(at, 0);
    await until('it has succeeded', async () => /^running: .* has succeeded\. $/.test((await told())[0] ?? ''));
    await rename(join(data(at), 'end'), join(data(at), 'ended'));
    await until('it has failed again', async () => (await told())[0]?.startsWith('crashed') === true);
    await deploy(at, 'hello', '2', files(undefined));
    await until('it is gone', async () => / is not there any more\. $/.test((await told())[0] ?? ''));
  });

  it('is told as failing when it hangs, until it has succeeded after a restart, which ends the run that hangs', async () => {
    const at = await platform({ limits: { incidentMs: 0, hangMs: 1_500 } });
    const told = async () => {
      const { events } = await at.events.after(0);
      return events.flatMap((one) => ('about' in one ? [`${one.state}: ${one.reason}`] : []));
    };
    await deploy(at, 'hello', '1', files(jobs(SECONDLY)));
    await until('it is told', async () => (await told()).length > 0);
    const since = (await listed(at))[0]?.running;
    expect(await told()).toEqual([
      `crashed: The job "node job.js" (${SECONDLY}) has not ended since ${since}, and is not run until then; "hooks restart" ends it.`,
    ]);
    const [first = 0] = await pids(at);

    await at.operations.restart(hello);

    expect(await isAlive(first)).toBe(false);
    expect(await told()).toHaveLength(1);
    await letEnd(at, 0);
    await until('it has succeeded', async () => / has succeeded\.$/.test((await told())[0] ?? ''));
  });

  it('is ended by a restart only when it hangs', async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', files(jobs(SECONDLY)));
    await begun(at);
    await until('one was skipped', async () => (await logs(at)).includes('skipped'));
    await at.operations.restart(hello);
    expect(await isAlive((await pids(at))[0] ?? 0)).toBe(true);
  });

  it('does not keep a runner that is replaced for ever', async () => {
    const folder = await temporaryFolder();
    const runner = await openRunner({ folder, limits: { hangMs: 500 }, own: process.env });
    afterwards(runner.close);
    const spec = specIn(folder);
    const cron = [{ command: 'sleep 1000', schedule: SECONDLY }];
    await startAt(runner, spec, { ...(await releaseIn(folder, '1', serverFile('up'))), cron });
    const log = () => readFile(spec.log, 'utf8').catch(() => '');
    await until('it runs', async () => (await log()).includes('runs sleep'));

    await runner.handOver(appKey(spec), { sockets: async () => {} });

    await until('the log has its end', async () => (await log()).includes('@cron.1 was ended by SIGTERM'));
  });

  it('runs each of two equal entries, after a second deploy too', async () => {
    const at = await platform();
    const twice = files([...jobs(SECONDLY), ...jobs(SECONDLY)]);
    await deploy(at, 'hello', '1', twice);
    await begun(at, 2);
    await deploy(at, 'hello', '2', twice);

    await letEnd(at, 0);

    await until('both have run again', async () => {
      const text = await logs(at);
      return ['@cron.1', '@cron.2'].every((name) => text.split(`${name}: runs`).length > 2);
    });
  });

  it('runs from the release that is live: a deploy has its own table, and does not end what runs', async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', files(jobs(SECONDLY)));
    await begun(at);
    const [first = 0] = await pids(at);

    await deploy(at, 'hello', '2', files([...jobs(SECONDLY), { command: 'node job.js', schedule: YEARLY }], 'second'));
    expect((await listed(at)).map(({ name, schedule }) => `${name} ${schedule}`)).toEqual([
      `@cron.1 ${SECONDLY}`,
      `@cron.2 ${YEARLY}`,
    ]);
    expect((await listed(at))[0]?.running).not.toBeNull();
    expect((await listed(at))[1]?.next).toMatch(/^\d{4}-01-01T00:00:00\.000Z$/);
    expect([await isAlive(first), (await pids(at)).length]).toEqual([true, 1]);

    await letEnd(at, 0);
    await until('that of the second runs', async () => (await logs(at)).includes('@cron.1: second'));
    await deploy(at, 'hello', '3', files(undefined));
    expect(await listed(at)).toEqual([]);
  });

  it('is told from a process that the Procfile calls cron', async () => {
    const at = await shared();
    const Procfile = 'web: node server.js\ncron: echo of the Procfile; exec sleep 1000\n';
    await deploy(at, 'hello', '1', { ...files(jobs(SECONDLY)), Procfile });
    await begun(at);
    await until('the job has spoken', async () => (await logs(at)).includes('first'));
    const ofProcfile = () => logsOf(at, { lines: 1000, process: 'cron' });
    await until('the process has spoken', async () => (await ofProcfile()).includes('of the Procfile'));
    expect([await logs(at), await ofProcfile()]).toEqual([
      expect.not.stringContaining('of the Procfile'),
      expect.not.stringContaining('first'),
    ]);
  });

  it('ends with the application, also with the platform, and begins with it again', async () => {
    const at = await platform();
    await deploy(at, 'hello', '1', files(jobs(SECONDLY)));
    await begun(at);
    const [first = 0] = await pids(at);

    await at.operations.stop(hello);
    expect(await isAlive(first)).toBe(false);
    expect(await logs(at)).toContain('@cron.1: was ended by SIGTERM after');
    expect((await listed(at))[0]).toMatchObject({ running: null, next: null, last: { exit: 143 } });
    const before = await pids(at);
    await at.operations.restart(hello);
    await begun(at, before.length + 1);
    const [second = 0] = (await pids(at)).slice(before.length);
    await at.close();
    expect(await isAlive(second)).toBe(false);

    const count = (await pids(at)).length;
    const again = await platform({ dataDir: at.dataDir });
    await begun(again, count + 1);
  });

  it('that cannot be started says so, and the application goes on', async () => {
    const at = await shared();
    const app = await deploy(at, 'hello', '1', files([{ command: 'no-such-program', schedule: SECONDLY }]));

    await until('it has run', async () => (await listed(at))[0]?.last != null);

    expect((await listed(at))[0]?.last?.exit).toBe(127);
    expect(await logs(at)).toContain('@cron.1: The program "no-such-program" was not found.');
    expect(await (await fetch(app.url)).text()).toBe('up');
  });

  it('fails the build with what is wrong in it', async () => {
    const built = await build(await shared(), 'hello', '1', files(jobs('61 * * * *')));
    const reason = expect.stringMatching(
      /^app\.json: the schedule "61 \* \* \* \*" .*: Invalid value for minute: 61\.$/,
    );
    expect(built).toMatchObject({ state: 'failed', reason });
  });
});
