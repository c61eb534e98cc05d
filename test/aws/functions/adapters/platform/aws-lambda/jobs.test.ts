import { GetFunctionCommand } from '@aws-sdk/client-lambda';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  lambdaCron,
  lambdaCronList,
} from '../../../../../../functions/adapters/platform/aws-lambda/jobs/cron-table.ts';
import { lambdaRuns } from '../../../../../../functions/adapters/platform/aws-lambda/jobs/runs.ts';
import { functionName, jobFunctionOf } from '../../../../../../functions/adapters/platform/aws-lambda/names.ts';
import { tableAppEvents } from '../../../../../../functions/adapters/platform/aws-lambda/table/app-events.ts';
import { keys } from '../../../../../../functions/adapters/platform/aws-lambda/table/items.ts';
import { systemClock } from '../../../../../../functions/adapters/system/clock.ts';
import type { AppRef } from '../../../../../../functions/core/ports/platform.ts';
import type { PrintedLine } from '../../../../../../functions/core/ports/processes.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { type EmulatedApps, emulatedApps } from '../../../../../support/aws-local/apps/emulated-apps.ts';
import { tarball } from '../../../../../support/platform/embedded.ts';

// Each command is a real process, and each release is started.
vi.setConfig({ testTimeout: 60_000 });

const shop: AppRef = { user: 'plum', app: 'shop' };
const SERVER = "require('http').createServer((_, r) => r.end('well')).listen(process.env.PORT, process.env.HOST);";

let apps: EmulatedApps;
let deploys = 0;
beforeAll(async () => {
  apps = await emulatedApps();
  await deploy(shop, {});
});
afterAll(() => apps?.close());

/** Makes a release of an application live, without a build. */
async function deploy(app: AppRef, files: Readonly<Record<string, string>>): Promise<void> {
  deploys += 1;
  const snapshot = { ...app, snapshot: `1.0.0-${deploys}` };
  const manifest = JSON.stringify({ name: app.app, version: '1.0.0' });
  const bytes = await tarball({ 'package.json': manifest, 'server.js': SERVER, ...files });
  await apps.platform.ensureApp(snapshot, { name: app.app });
  await apps.platform.upload(snapshot, uploadOf(bytes));
  await apps.platform.activate(snapshot);
  expect(await apps.platform.poll(snapshot)).toMatchObject({ state: 'ready' });
  await apps.platform.start(snapshot);
}

/** Runs a command to its end, and returns what it has printed by stream, and how it ended. */
async function run(app: AppRef, ...command: string[]) {
  const { id } = (await lambdaRuns(apps.parts).start(app, { command })) ?? expect.unreachable();
  return read(app, id);
}

async function read(app: AppRef, id: string) {
  const printed = { stdout: '', stderr: '' };
  const said = await lambdaRuns(apps.parts).read(app, id, new AbortController().signal);
  for await (const batch of said ?? expect.unreachable())
    for (const one of batch) {
      if ('exit' in one) return { ...printed, ...one };
      printed[one.stream] += Buffer.from(one.data, 'base64').toString('latin1');
    }
  return printed;
}

async function flat<T>(batches: AsyncIterable<readonly T[]> | null): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of batches ?? []) all.push(...batch);
  return all;
}

const functionOfJobs = (app: AppRef) => jobFunctionOf(functionName(apps.parts.functionPrefix, app));

describe('a one-off command on AWS Lambda', () => {
  it('runs in the folder of the live release, with its output and its exit code; two that need the function at once too', async () => {
    const script = 'process.stdout.write(Buffer.from([0, 255])); console.error(process.cwd()); process.exit(3)';
    const both = await Promise.all([run(shop, 'node', '-e', script), run(shop, 'echo "$PWD" && ls')]);
    expect(both[0]).toEqual({ stdout: '\0\xff', stderr: expect.stringMatching(/\/app\n$/), exit: 3, reason: null });
    expect(both[1]).toMatchObject({ stdout: expect.stringMatching(/\/app\npackage.json\nserver.js\n$/), exit: 0 });
  });

  it('has the current variables, without what the adapter needs, and runs in the release that is live then', async () => {
    await apps.variables.set(shop, { COLOUR: 'blue' });
    const shown = 'echo "$COLOUR $NODE_ENV $AWS_LAMBDA_EXEC_WRAPPER" && cat text 2>&1';
    expect(await run(shop, shown)).toMatchObject({ stdout: expect.stringContaining('blue production \n'), exit: 1 });
    await deploy(shop, { text: 'of the second' });
    expect(await run(shop, shown)).toMatchObject({ stdout: 'blue production \nof the second', exit: 0 });
  });

  it('exits with 127 for a program that is not there, and takes what it has started along', async () => {
    expect(await run(shop, 'no-such-program', 'x')).toMatchObject({
      exit: 127,
      stderr: expect.stringMatching('not found'),
    });
    // It holds the output, and sleeps longer than this test may take.
    expect(await run(shop, 'sleep 100 & echo $!')).toMatchObject({ exit: 0 });
  });

  it('gets signals, and no input', async () => {
    const runs = lambdaRuns(apps.parts);
    const command = ['trap "echo caught; exit 9" INT; echo ready; while :; do sleep 0.1; done'];
    const { id } = (await runs.start(shop, { command })) ?? expect.unreachable();
    await expect(runs.write(shop, id, { data: 'eA==' })).rejects.toMatchObject({ code: 'request:not_supported' });
    expect(await runs.write(shop, id, { end: true })).toBe(true);
    const ended = read(shop, id);
    await vi.waitUntil(async () => (await apps.parts.table.read(keys.run(shop, id)))?.read, { timeout: 30_000 });
    expect(await runs.write(shop, id, { signal: 'SIGINT' })).toBe(true);
    expect(await ended).toEqual({ stdout: 'ready\ncaught\n', stderr: '', exit: 9, reason: null });
    expect(await runs.write(shop, id, { signal: 'SIGINT' })).toBe(false);
    expect(await runs.read(shop, id, new AbortController().signal)).toBeNull();
  });

  it('is refused with a sentence before the first start, and beyond five at a time; unknown for an unknown one', async () => {
    const runs = lambdaRuns(apps.parts);
    const other = { user: 'plum', app: 'other' };
    expect(await runs.start(other, { command: ['true'] })).toBeNull();
    await apps.platform.ensureApp(other, { name: 'other' });
    await expect(runs.start(other, { command: ['true'] })).rejects.toMatchObject({
      code: 'request:conflict',
      detail: 'other has not been started yet, and a command runs in the release that is live: deploy it first.',
    });
    const { table, clock } = apps.parts;
    for (const at of [1, 2, 3, 4, 5]) await table.write(keys.run(shop, `${at}`), { at: clock.now(), read: 0 });
    await expect(runs.start(shop, { command: ['true'] })).rejects.toMatchObject({ code: 'request:throttled' });
    const later = lambdaRuns({ ...apps.parts, clock: { ...systemClock, now: () => Date.now() + 18 * 60_000 } });
    expect(await later.start(shop, { command: ['true'] })).not.toBeNull();
  });

  it('is said to be lost when it does not begin, or gives no sign any more', async () => {
    const { table } = apps.parts;
    const said = async (item: { readonly at: number; readonly read: number }) => {
      await table.write(keys.run(shop, 'lost'), item);
      let times = 0;
      const clock = { sleep: async () => {}, now: () => Date.now() + 100_000 * times++ };
      const pieces = await lambdaRuns({ ...apps.parts, clock }).read(shop, 'lost', new AbortController().signal);
      return flat(pieces);
    };
    expect(await said({ at: Date.now(), read: 0 })).toEqual([
      { exit: 137, reason: expect.stringMatching(/^could not begin within 60 seconds/) },
    ]);
    expect(await said({ at: Date.now(), read: 5 })).toEqual([
      { exit: 137, reason: expect.stringMatching(/^gave no sign/) },
    ]);
  });
});

describe('cron on AWS Lambda', () => {
  const cron = (...entries: object[]) => ({ 'app.json': JSON.stringify({ cron: entries }) });
  /** The watch, so many minutes later. */
  const watch = (minutes: number) => {
    const clock = { ...systemClock, now: () => Date.now() + minutes * 60_000 };
    return lambdaCron({ ...apps.parts, clock }).runDue();
  };
  const list = async (app: AppRef) => (await lambdaCronList(apps.parts)(app))?.cron;
  const lines = async (app: AppRef) => {
    const output = await apps.output.read(app, { lines: 100, follow: false }, new AbortController().signal);
    const all: PrintedLine[] = await flat(output);
    return all.flatMap(({ process, stream, line }) => (process === undefined ? [] : [`${process} ${stream} ${line}`]));
  };

  it('runs at its times, told in the log and in the list as on one machine, and goes with the release that has it', async () => {
    const app = { user: 'plum', app: 'timely' };
    await deploy(
      app,
      cron(
        { command: 'echo "it is $NODE_ENV"; exit 3', schedule: '* * * * *' },
        { command: 'true', schedule: '0 3 1 1 *', timezone: 'Europe/Berlin' },
      ),
    );
    expect(await list(app)).toMatchObject([
      { name: '@cron.1', schedule: '* * * * *', running: null, last: null, next: expect.any(String) },
      { name: '@cron.2', timezone: 'Europe/Berlin', next: expect.stringMatching(/-01-01T02:00:00/) },
    ]);
    await watch(0);
    expect(await list(app)).toMatchObject([{ running: null }, {}]);
    // Two at once, as when a minute's event comes twice.
    await Promise.all([watch(1), watch(1)]);
    await vi.waitUntil(async () => (await list(app))?.[0]?.last, { timeout: 30_000, interval: 200 });
    expect(await list(app)).toMatchObject([
      { running: null, last: { exit: 3, seconds: expect.any(Number) } },
      { last: null },
    ]);
    expect(await lines(app)).toEqual([
      '@cron.1 platform runs echo "it is $NODE_ENV"; exit 3',
      '@cron.1 stdout it is production',
      expect.stringMatching(/^@cron\.1 platform exited with code 3 after \d+\.\d s$/),
    ]);
    await watch(1);
    const { events } = await tableAppEvents(apps.parts.table, systemClock).after(0);
    expect(events.filter((event) => event.app === 'timely')).toMatchObject([
      { state: 'crashed', about: expect.stringMatching(/^The job /), log: ['it is production'] },
    ]);
    await deploy(app, {});
    expect(await list(app)).toEqual([]);
    await watch(2);
    expect(await lines(app)).toHaveLength(3);
  });

  it('runs an entry once at a time, and none of a stopped application or one that was removed', async () => {
    const app = { user: 'plum', app: 'slow' };
    await deploy(app, cron({ command: 'sleep 20', schedule: '* * * * * *' }));
    await watch(0.1);
    await vi.waitUntil(async () => (await lines(app)).length > 0, { timeout: 30_000, interval: 100 });
    expect(await list(app)).toMatchObject([{ running: expect.any(String), last: null }]);
    await watch(0.3);
    const skipped = '@cron.1 platform is due and is skipped, because its last run is still going';
    await apps.operations.stop(app);
    expect(await list(app)).toMatchObject([{ next: null }]);
    await watch(0.5);
    expect(await lines(app)).toEqual(['@cron.1 platform runs sleep 20', skipped]);
    await apps.parts.lambda.send(new GetFunctionCommand({ FunctionName: functionOfJobs(app) }));
    await apps.operations.remove(app);
    await expect(
      apps.parts.lambda.send(new GetFunctionCommand({ FunctionName: functionOfJobs(app) })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await watch(1);
    const due = await apps.parts.table.list(keys.dueApps());
    const { s3, bucket: Bucket } = apps.parts;
    const left = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'runs/plum/slow/' }));
    expect(left.Contents ?? []).toEqual([]);
    expect(due.filter((one) => one.app === 'slow')).toEqual([]);
  });

  it('is no function where an application has none and nobody runs a command', async () => {
    const app = { user: 'plum', app: 'plain' };
    await deploy(app, {});
    await expect(
      apps.parts.lambda.send(new GetFunctionCommand({ FunctionName: functionOfJobs(app) })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('the emulators', () => {
  it('know every call of commands and every parameter', () => {
    expect(apps.warnings).toEqual([]);
  });
});
