import { writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import {
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  DeleteLogGroupCommand,
  DescribeLogStreamsCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  type BatchGetBuildsOutput,
  BatchGetProjectsCommand,
  type Build,
  ListBuildsForProjectCommand,
  type StatusType,
  UpdateProjectCommand,
} from '@aws-sdk/client-codebuild';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { lambdaBuildOutput } from '../../../../../../functions/adapters/platform/aws-lambda/build/build-output.ts';
import { lambdaPlatform } from '../../../../../../functions/adapters/platform/aws-lambda/hosting.ts';
import { functionName, logGroupOf } from '../../../../../../functions/adapters/platform/aws-lambda/names.ts';
import type { LambdaPlatformParts } from '../../../../../../functions/adapters/platform/aws-lambda/parts.ts';
import { lambdaAppHealth } from '../../../../../../functions/adapters/platform/aws-lambda/run/app-health.ts';
import { lambdaAppOutput } from '../../../../../../functions/adapters/platform/aws-lambda/run/app-output.ts';
import { lambdaAppVariables } from '../../../../../../functions/adapters/platform/aws-lambda/run/app-variables.ts';
import { environmentOf, masked } from '../../../../../../functions/adapters/platform/aws-lambda/run/environment.ts';
import { lambdaAppOperations } from '../../../../../../functions/adapters/platform/aws-lambda/run/operations.ts';
import { publishedVersions } from '../../../../../../functions/adapters/platform/aws-lambda/run/versions.ts';
import {
  recordEvent,
  tableAppEvents,
} from '../../../../../../functions/adapters/platform/aws-lambda/table/app-events.ts';
import { tableApplications } from '../../../../../../functions/adapters/platform/aws-lambda/table/applications.ts';
import type { PlatformTable } from '../../../../../../functions/adapters/platform/aws-lambda/table/table.ts';
import { systemClock } from '../../../../../../functions/adapters/system/clock.ts';
import type { PrintedLine } from '../../../../../../functions/core/ports/processes.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { memoryTable } from '../../../../../fakes/platform-table.ts';
import { type EmulatedApps, emulatedApps } from '../../../../../support/aws-local/apps/emulated-apps.ts';
import { follow } from '../../../../../support/aws-local/apps/follow.ts';
import { buildQuickly, quickApp, servedAt } from '../../../../../support/aws-local/apps/quick-apps.ts';
import { tarball } from '../../../../../support/platform/embedded.ts';

// Each start is that of a real program.
vi.setConfig({ testTimeout: 120_000 });

let apps: EmulatedApps;
let project: Awaited<ReturnType<typeof buildQuickly>>;
beforeAll(async () => {
  apps = await emulatedApps();
  project = await buildQuickly(apps.parts);
});
afterAll(() => apps?.close());

/** Each test has a table and a user of its own on the same emulators. */
let parts: LambdaPlatformParts;
let user: string;
let users = 0;
beforeEach(() => {
  users += 1;
  user = `kiwi-${users}`;
  const sleep = (_milliseconds: number, signal?: AbortSignal) => systemClock.sleep(20, signal);
  parts = { ...apps.parts, table: memoryTable(), clock: { ...systemClock, sleep } };
});
afterEach(async () => {
  vi.restoreAllMocks();
  await lambdaPlatform(parts)
    .cancel(shop('1'))
    .catch(() => {});
  await lambdaAppOperations(parts).remove(shop('1'));
});

const shop = (snapshot: string) => ({ user, app: 'shop', snapshot });
const nameOfFunction = () => functionName(parts.functionPrefix, shop('1'));
const group = () => logGroupOf(nameOfFunction());

/** While there is this file, the processes of the version that was uploaded last end. */
let broken: string;

/** Uploads a version. */
async function uploaded(snapshot: string, behaviour = 'runs') {
  const platform = lambdaPlatform(parts);
  const app = await quickApp(snapshot, behaviour);
  broken = app.broken;
  await platform.ensureApp(shop(snapshot), { name: 'shop' });
  await platform.upload(shop(snapshot), uploadOf(app.tarball));
  return platform;
}

/** Polls until a build has ended. */
async function built(snapshot = '1') {
  const poll = async () => [await lambdaPlatform(parts).poll(shop(snapshot))].find(({ state }) => state !== 'building');
  return (await vi.waitUntil(poll, { timeout: 60_000, interval: 100 })) ?? expect.unreachable();
}

/** Uploads and builds a version, and starts it. */
async function deployed(snapshot: string, behaviour = 'runs') {
  const platform = await uploaded(snapshot, behaviour);
  await platform.activate(shop(snapshot));
  await built(snapshot);
  return platform.start(shop(snapshot));
}

/** Has builds that have ended look as if they had ended so. */
function buildsEnd(buildStatus: StatusType, phases?: Build['phases']) {
  const end = { buildStatus, ...(phases && { phases }) };
  return follow(parts.codeBuild, async (name, answer) => {
    if (name !== 'BatchGetBuilds') return answer();
    const { builds = [] }: BatchGetBuildsOutput = await answer();
    return { builds: builds.map((one) => (one.buildStatus === 'IN_PROGRESS' ? one : { ...one, ...end })) };
  });
}

/** Returns how many builds the application has had. */
async function countOfBuilds() {
  const { ids = [] } = await parts.codeBuild.send(new ListBuildsForProjectCommand({ projectName: nameOfFunction() }));
  return ids.length;
}

const countOf = (calls: readonly { readonly name: string }[], name: string) =>
  calls.filter((one) => one.name === name).length;

async function numbers() {
  return (await publishedVersions(nameOfFunction(), parts)).map(({ Version }) => Version);
}

/** The keys of the user's objects. */
async function objects(prefix = '') {
  const { Contents = [] } = await parts.s3.send(new ListObjectsV2Command({ Bucket: parts.bucket, Prefix: prefix }));
  return Contents.map(({ Key = '' }) => Key).filter((key) => key.includes(`/${user}/`));
}

async function write(logStreamName: string, message: string, timestamp = Date.now()) {
  const stream = { logGroupName: group(), logStreamName };
  await apps.parts.logs.send(new CreateLogStreamCommand(stream)).catch(() => {});
  await apps.parts.logs.send(new PutLogEventsCommand({ ...stream, logEvents: [{ timestamp, message }] }));
}

/** Empties the log of the application. */
async function emptyLog() {
  await parts.logs.send(new DeleteLogGroupCommand({ logGroupName: group() }));
  await parts.logs.send(new CreateLogGroupCommand({ logGroupName: group() }));
}

/** Returns the filter of the log after these calls; undefined when it has none. */
function filterIn(calls: ReturnType<typeof follow>) {
  const last = calls.findLast(({ name }) => name.endsWith('SubscriptionFilter'));
  return last?.name === 'PutSubscriptionFilter' ? last.input : undefined;
}

const { signal } = new AbortController();

/** The texts of an output that ends. */
async function linesOf(output: Promise<AsyncIterable<readonly PrintedLine[]> | null>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const batch of (await output) ?? []) found.push(...batch.map(({ line }) => line));
  return found;
}

describe('an application on AWS Lambda', () => {
  it('is announced when it is built, so that nobody polls', async () => {
    const calls = follow(parts.codeBuild);
    const platform = await uploaded('1', 'is built for minutes');
    await lambdaAppVariables(parts).set(shop('1'), { PASSWORD: 'of the database' });
    await platform.activate(shop('1'), { path: 'packages/web', settings: { build: 'make' }, clean: true });
    expect(await platform.poll(shop('1'))).toEqual({ state: 'building', announced: true });
    expect(calls.find(({ name }) => name === 'StartBuild')?.input.environmentVariablesOverride).toEqual([
      { name: 'JOB_URL', type: 'PLAINTEXT', value: expect.stringMatching(/^http:.*X-Amz-Signature=/) },
      { name: 'SNAPSHOT', type: 'PLAINTEXT', value: `${user}/shop/1` },
    ]);
    const [Key] = await objects('jobs/');
    const job = await parts.s3.send(new GetObjectCommand({ Bucket: parts.bucket, Key }));
    const text = (await job.Body?.transformToString()) ?? '';
    expect(text).not.toContain('of the database');
    expect(JSON.parse(text)).toMatchObject({
      app: { user, app: 'shop' },
      variables: expect.stringMatching(/^v1\.kms\./),
      path: 'packages/web',
      settings: { build: 'make' },
      clean: true,
      release: expect.stringContaining(`releases/${user}/shop/1.zip?`),
    });
  });

  it('is built in a project of its own, which changes as the one of the stack does and goes with it', async () => {
    const calls = follow(parts.codeBuild);
    await deployed('1');
    expect(calls.find(({ name }) => name === 'StartBuild')?.input.projectName).toBe(nameOfFunction());
    const found = async () => {
      const names = [parts.project, nameOfFunction()];
      return (await parts.codeBuild.send(new BatchGetProjectsCommand({ names }))).projects ?? [];
    };
    const [own, other] = await found();
    expect(other).toEqual({ ...own, name: nameOfFunction(), arn: other?.arn, description: other?.description });
    const environment = { ...own?.environment, computeType: 'BUILD_LAMBDA_10GB' };
    await parts.codeBuild.send(new UpdateProjectCommand({ ...project, environment } as typeof project));
    // CodeBuild reports the limit of Lambda compute, and refuses to be given it.
    await deployed('2');
    expect((await found()).map((one) => one.environment)).toEqual([environment, environment]);
    await parts.codeBuild.send(new UpdateProjectCommand(project));
    await lambdaAppOperations(parts).remove(shop('1'));
    expect((await found()).map(({ name }) => name)).toEqual([parts.project]);
  });

  describe('of which nothing is installed or built', () => {
    const files = {
      'package.json': '{}',
      Procfile: 'web: node server.js\nworker: sleep 600',
      'server.js': "require('node:http').createServer((_, answer) => answer.end('as it is')).listen(process.env.PORT);",
    };
    const note = 'On AWS Lambda only web and release of the Procfile are run, not worker.';

    /** Uploads the tarball of these files, and activates it. */
    async function activated(content: Readonly<Record<string, string>>, body?: Buffer) {
      const platform = lambdaPlatform(parts);
      await platform.ensureApp(shop('1'), { name: 'shop' });
      await platform.upload(shop('1'), uploadOf(body ?? (await tarball(content))));
      await platform.activate(shop('1'));
      return platform;
    }

    it('is live without a build, with what its build would have said', async () => {
      const calls = follow(parts.codeBuild);
      const platform = await activated(files);
      const found = { install: '', build: '', start: 'node server.js' };
      expect(await platform.poll(shop('1'))).toEqual({ state: 'ready', note, found });
      const { url } = await platform.start(shop('1'));
      expect(await (await fetch(url)).text()).toBe('as it is');
      expect([calls, await objects('snapshots/'), await objects('jobs/')]).toEqual([[], [], []]);
      const log = linesOf(lambdaBuildOutput(parts).read(shop('1'), true, signal));
      expect(await log).toEqual([note]);
    });

    it('fails with the sentence of what cannot be started', async () => {
      const platform = await activated({ 'package.json': '{}' });
      const reason = expect.stringMatching(/^There is nothing to start: package.json has no scripts.start/);
      expect(await platform.poll(shop('1'))).toMatchObject({ state: 'failed', reason });
      await platform.activate(shop('1'));
      expect(await platform.poll(shop('1'))).toMatchObject({ state: 'failed', reason });
    });

    it('is built when an earlier run has not come to its end', async () => {
      let runs = 0;
      follow(parts.s3, (name, answer) => {
        if (name === 'GetObject') runs += 1;
        return name === 'GetObject' && runs === 1
          ? Promise.reject(new Error('The function has no time left.'))
          : answer();
      });
      await expect(activated(files)).rejects.toMatchObject({ code: 'deploy:tar:extract_failed' });
      await lambdaPlatform(parts).activate(shop('1'));
      expect(await countOfBuilds()).toBe(1);
    });

    it('stays cancelled when that comes in the middle', async () => {
      const write = parts.table.write;
      const cancelled = vi.spyOn(parts.table, 'write').mockImplementation(async (key, changes, condition) => {
        if ('found' in changes) {
          cancelled.mockRestore();
          await lambdaPlatform(parts).cancel(shop('1'));
        }
        return write(key, changes, condition);
      });
      const platform = await activated(files);
      expect(await platform.poll(shop('1'))).toMatchObject({ state: 'failed', reason: 'The build was cancelled.' });
      expect(await countOfBuilds().catch(() => 0)).toBe(0);
    });

    it('is built when it is more than a function has room for', async () => {
      const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, place) => [`files/${place}`, '']));
      await activated({ ...files, ...many });
      expect(await countOfBuilds()).toBe(1);
    });

    it('is built when its tarball is, which is not fetched then', async () => {
      const calls = follow(parts.s3);
      await activated({}, Buffer.alloc(33 * 1024 * 1024));
      expect([countOf(calls, 'GetObject'), await countOfBuilds()]).toEqual([0, 1]);
    });
  });

  it('says in its result what its build has noted', async () => {
    const platform = await uploaded('1', 'has a worker');
    await platform.activate(shop('1'));
    const noted = { state: 'ready', note: 'Only web is run.', found: { start: 'node server.js' } };
    expect([await built(), await platform.poll(shop('1'))]).toEqual([noted, noted]);
  });

  it('is built again when CodeBuild has lost the build', async () => {
    const platform = await uploaded('1');
    await platform.activate(shop('1'));
    buildsEnd('FAULT');
    await expect(built()).rejects.toMatchObject({ code: 'deploy:tar:extract_failed', retry: true });
    vi.restoreAllMocks();
    await platform.activate(shop('1'));
    const note = 'AWS CodeBuild lost the build, which began again.';
    expect(await built()).toEqual({ state: 'ready', note });
    expect(await countOfBuilds()).toBe(2);
  });

  it('is built again when it has failed before its commands began, and says why when that happens twice', async () => {
    const contexts = [{ message: 'AccessDenied: status code: 403 for primary source' }];
    buildsEnd('FAILED', [{ phaseType: 'DOWNLOAD_SOURCE', phaseStatus: 'FAILED', contexts }]);
    const platform = await uploaded('1');
    await platform.activate(shop('1'));
    await expect(built()).rejects.toMatchObject({ code: 'deploy:tar:extract_failed', retry: true });
    await platform.activate(shop('1'));
    const reason = expect.stringMatching(/lost the build twice.* It said: AccessDenied: status code: 403/);
    expect(await built()).toMatchObject({ state: 'failed', reason });
    expect(await countOfBuilds()).toBe(2);
  });

  it('is built once, also when it is activated twice at once and once more after it has failed', async () => {
    const platform = await uploaded('1', 'cannot be built');
    await Promise.all([platform.activate(shop('1')), platform.activate(shop('1'))]);
    await platform.activate(shop('1'));
    await built();
    await platform.activate(shop('1'));
    expect(await platform.poll(shop('1'))).toMatchObject({ state: 'failed' });
    expect(await countOfBuilds()).toBe(1);
  });

  it('says that a build took too long', async () => {
    buildsEnd('TIMED_OUT');
    await expect(deployed('1')).rejects.toMatchObject({ code: 'deploy:platform:start_app' });
    const result = await lambdaPlatform(parts).poll(shop('1'));
    expect(result).toMatchObject({ state: 'failed', reason: expect.stringContaining('15 minutes') });
  });

  it("takes five calls of Lambda's control plane, which allows an account 15 a second", async () => {
    for (const snapshot of ['1', '2', '3', '4']) await deployed(snapshot);
    const calls = follow(parts.lambda);
    await deployed('5');
    // Those two have quotas of their own.
    const counted = calls.map(({ name }) => name).filter((name) => name !== 'GetFunction' && name !== 'Invoke');
    expect(counted.sort()).toEqual([
      'DeleteFunction',
      'ListVersionsByFunction',
      'UpdateAlias',
      'UpdateFunctionCode',
      'UpdateFunctionConfiguration',
    ]);
  });

  it('rolls back by the move of an alias, without a new version', async () => {
    await deployed('1');
    const { url } = await deployed('2');
    const calls = follow(parts.lambda);
    expect(await lambdaPlatform(parts).start(shop('1'))).toEqual({ url });
    expect(countOf(calls, 'UpdateAlias')).toBe(1);
    expect(countOf(calls, 'UpdateFunctionCode')).toBe(0);
    expect(await servedAt(url)).toMatchObject({ version: '1', number: '1' });
  });

  it('has its commit in its variables, unless it has set that itself, and a roll back that of its own', async () => {
    const versionOf = async (start: () => Promise<unknown>) => {
      const calls = follow(parts.lambda);
      await start();
      const { input } = calls.find(({ name }) => /^(?:Create|UpdateFunctionConf)/.test(name)) ?? expect.unreachable();
      vi.restoreAllMocks();
      return v.parse(v.object({ Variables: v.looseObject({}) }), input.Environment).Variables.SOURCE_VERSION;
    };
    const deploy = async (snapshot: string, commit: string) => {
      const platform = await uploaded(snapshot);
      await platform.activate(shop(snapshot), { commit });
      await built(snapshot);
      return versionOf(() => platform.start(shop(snapshot)));
    };
    expect([await deploy('1', 'a1'), await deploy('2', 'b2')]).toEqual(['a1', 'b2']);
    await lambdaAppVariables(parts).set(shop('1'), { GREETING: 'today' });
    expect(await versionOf(() => lambdaPlatform(parts).start(shop('1')))).toBe('a1');
    await lambdaAppVariables(parts).set(shop('1'), { SOURCE_VERSION: 'mine' });
    expect(await versionOf(() => lambdaPlatform(parts).start(shop('1')))).toBe('mine');
  });

  it('rolls back with the variables of today', async () => {
    await deployed('1');
    const { url } = await deployed('2');
    await lambdaAppVariables(parts).set(shop('1'), { GREETING: 'today' });
    await lambdaPlatform(parts).start(shop('1'));
    expect(await servedAt(url)).toMatchObject({ version: '1', greeting: 'today' });
  });

  describe('that has crashed', () => {
    /** A crashed application that would answer now, at a time at which it is due to be asked again. */
    async function crashed() {
      await deployed('1');
      await parts.table.write({ pk: `A#${user}`, sk: 'shop' }, { state: 'crashed' });
      await recordEvent(parts.table, { ...shop('1'), seq: 1, state: 'crashed', reason: 'It ended.', log: [] });
      const at = (minutes: number) => ({
        ...parts,
        clock: { ...parts.clock, now: () => Date.now() + minutes * 60_000 },
      });
      const found = async () => {
        const { events } = await tableAppEvents(parts.table, parts.clock).after(0);
        return [(await tableApplications(parts).find(shop('1')))?.state, events[0]?.state];
      };
      return { at, found };
    }

    it('answers again, also when the worker of the watch is killed between the two writes', async () => {
      const { at, found } = await crashed();
      await expect(lambdaAppHealth(interrupted(at(10))).recheck()).rejects.toThrow();
      await lambdaAppHealth(at(20)).recheck();
      expect(await found()).toEqual(['running', 'running']);
    });

    it('is shown as crashed, also when the worker that found it was killed after it had told of it', async () => {
      const { at, found } = await crashed();
      await parts.table.write({ pk: `A#${user}`, sk: 'shop' }, { state: 'running' });
      writeFileSync(broken, '');
      await lambdaAppHealth(at(10)).recheck();
      expect(await found()).toEqual(['crashed', 'crashed']);
    });

    it('answers again after a restart, also when its worker is killed between the two writes', async () => {
      const { at, found } = await crashed();
      await expect(lambdaAppOperations(interrupted(at(0))).restart(shop('1'))).rejects.toThrow();
      await lambdaAppOperations(at(0)).restart(shop('1'));
      expect(await found()).toEqual(['running', 'running']);
    });
  });

  it('gets a new version by a restart, with the variables of today', async () => {
    const { url } = await deployed('1');
    const { number } = await servedAt(url);
    await lambdaAppVariables(parts).set(shop('1'), { GREETING: 'today' });
    await lambdaAppOperations(parts).restart(shop('1'));
    const after = await servedAt(url);
    expect([after.version, after.greeting]).toEqual(['1', 'today']);
    expect(after.number).not.toBe(number);
  });

  it('never gets traffic when it answers 500, and its version is deleted', async () => {
    const { url } = await deployed('1');
    const refused = { code: 'deploy:platform:start_app', retry: false, detail: expect.stringContaining('500') };
    await expect(deployed('2', 'answers 500')).rejects.toMatchObject(refused);
    expect([(await servedAt(url)).version, await numbers()]).toEqual(['1', ['1']]);
  });

  it('keeps the versions of two deploys, and ten snapshots with their releases', async () => {
    for (let number = 1; number <= 12; number += 1) await deployed(String(number));
    expect(await numbers()).toEqual(['12', '11']);
    expect(await tableApplications(parts).snapshots(shop('1'))).toHaveLength(10);
    expect(await objects('releases/')).toHaveLength(10);
    // A snapshot whose version is gone is started from its release.
    const { url } = await lambdaPlatform(parts).start(shop('4'));
    expect((await servedAt(url)).version).toBe('4');
  });

  it('leaves nothing behind when it is removed', async () => {
    await deployed('1');
    await lambdaAppOperations(parts).remove(shop('1'));
    expect([await numbers(), await objects()]).toEqual([[], []]);
    expect(await parts.table.read({ pk: `F#${nameOfFunction()}`, sk: 'APP' })).toBeNull();
    await expect(parts.logs.send(new DescribeLogStreamsCommand({ logGroupName: group() }))).rejects.toThrow();
  });

  it('has a log of which the watch hears when an instance ends', async () => {
    const calls = follow(parts.logs);
    await deployed('1');
    const filter = { filterName: 'ended', filterPattern: '"Runtime.ExitError"', destinationArn: parts.watcher };
    expect(filterIn(calls)).toEqual({ logGroupName: group(), ...filter });
  });

  it('has a filter that is made once, again after the log was deleted, and for another watcher', async () => {
    // No other function may be invoked by this log.
    const calls = follow(parts.logs, async (name, answer) => (name === 'PutSubscriptionFilter' ? {} : answer()));
    const made = () => {
      const puts = calls.splice(0).filter(({ name }) => name === 'PutSubscriptionFilter');
      return puts.map(({ input }) => input.destinationArn);
    };
    await deployed('1');
    expect(made()).toEqual([parts.watcher]);
    await deployed('2');
    await lambdaAppOperations(parts).restart(shop('2'));
    expect(made()).toEqual([]);
    const other = lambdaPlatform({ ...parts, watcher: 'arn:other' });
    await other.start(shop('2'));
    expect(made()).toEqual(['arn:other']);
    await parts.logs.send(new DeleteLogGroupCommand({ logGroupName: group() }));
    await other.start(shop('1'));
    expect(made()).toEqual(['arn:other']);
  });

  it('has a filter made by the next start when the first was interrupted before it', async () => {
    follow(parts.logs, (name, answer) => (name === 'PutSubscriptionFilter' ? refused() : answer()));
    await expect(deployed('1')).rejects.toThrow();
    vi.restoreAllMocks();
    const calls = follow(parts.logs);
    await lambdaPlatform(parts).start(shop('1'));
    expect(filterIn(calls)).toMatchObject({ destinationArn: parts.watcher });
  });

  it('is followed with longer pauses while nothing comes, and on when the rate of the region is used up', async () => {
    await deployed('1');
    await emptyLog();
    let refusals = 0;
    follow(parts.logs, (_, answer) => (refusals-- > 0 ? refused('ThrottlingException') : answer()));
    let now = Date.now();
    const pauses: number[] = [];
    const stop = new AbortController();
    const sleep = async (ms: number) => {
      pauses.push(ms / 1000);
      now += ms;
      if (pauses.length === 4) await write('[1]', 'at last', now);
      if (pauses.length === 6) refusals = 4;
      if (pauses.length === 11) await write('[1]', 'again', now);
      if (pauses.length === 12) stop.abort();
    };
    const clock = { ...parts.clock, now: () => now, sleep };
    const query = { lines: 0, follow: true };
    const found = await linesOf(lambdaAppOutput({ ...parts, clock }).read(shop('1'), query, stop.signal));
    expect(found).toEqual(['at last', 'again']);
    expect(pauses).toEqual([4, 8, 10, 10, 2, 4, 2, 4, 8, 10, 8, 2]);
  });

  it('cannot have the service run more than once a minute by lines that it prints', async () => {
    const calls = follow(parts.logs);
    await deployed('1');
    const filter = filterIn(calls);
    const at = (seconds: number) => lambdaAppHealth({ ...parts, clock: { ...parts.clock, now: () => seconds * 1000 } });
    // Whatever the stream is called: any line that matches has come here.
    await at(0).ended({ group: group(), stream: 'printed' });
    await at(59).recheck();
    expect(filterIn(calls)).toBeUndefined();
    await at(60).recheck();
    expect(filterIn(calls)).toEqual(filter);
    await at(61).ended({ group: group(), stream: 'printed' });
    await at(90).recheck();
    expect(filterIn(calls)).toBeUndefined();
    await lambdaAppOperations(parts).remove(shop('1'));
    await at(200).recheck();
    expect([filterIn(calls), await parts.table.list({ pk: 'Q' })]).toEqual([undefined, []]);
  });

  describe('whose role may not write its log', () => {
    beforeEach(() => {
      parts = { ...parts, appRole: apps.roles.mute };
    });
    const soon = (seconds: number) => {
      const clock = { ...parts.clock, now: () => Date.now() + seconds * 1000 };
      return lambdaAppHealth({ ...parts, clock }).recheck();
    };
    const noted = async () => {
      const { events } = await tableAppEvents(parts.table, parts.clock).after(0);
      return events.map((event) => [event.state, 'snapshot' in event && event.snapshot, event.reason]);
    };
    const note = ['running', '1', expect.stringMatching(/^Nothing .+ is logged: .+ logs:CreateLogStream\.$/)];
    const stream = (version: string) => `${new Date().toISOString().slice(0, 10).replaceAll('-', '/')}/[${version}]f0`;

    it('says so a minute after its start, once', async () => {
      await deployed('1');
      await soon(50);
      expect(await noted()).toEqual([]);
      await soon(61);
      expect(await noted()).toEqual([note]);
      expect(await parts.table.list({ pk: 'Q' })).toEqual([]);
    });

    it('says so at each start, until a version has written', async () => {
      await deployed('1');
      await write('platform', 'serves');
      await write(stream('7'), 'of another version');
      await soon(61);
      expect(await noted()).toEqual([note]);
      await deployed('2');
      await write(stream('2'), 'hello');
      await soon(61);
      expect(await noted()).toEqual([note]);
      await deployed('3');
      expect(await parts.table.list({ pk: 'Q' })).toEqual([]);
      await parts.logs.send(new DeleteLogGroupCommand({ logGroupName: group() }));
      await deployed('4');
      expect(await parts.table.list({ pk: 'Q' })).toMatchObject([{ snapshot: '4', version: '4' }]);
    });

    it('is not looked at any more when it was removed', async () => {
      await deployed('1');
      await lambdaAppOperations(parts).remove(shop('1'));
      expect(await parts.table.list({ pk: 'Q' })).toEqual([]);
      await deployed('1');
      await parts.logs.send(new DeleteLogGroupCommand({ logGroupName: group() }));
      await soon(61);
      expect([await noted(), await parts.table.list({ pk: 'Q' })]).toEqual([[], []]);
    });
  });

  it('shows its last lines, of whatever age, and reads no more of its log than it must', async () => {
    await deployed('1');
    await emptyLog();
    const calls = follow(parts.logs);
    const now = Date.now();
    const ago = (minutes: number) => now - minutes * 60_000;
    for (const minutes of [19_000, 3000, 90, 4, 2, 0]) await write('[1]', `${minutes} ago`, ago(minutes));
    const clock = { ...parts.clock, now: () => now };
    const last = async (lines: number) => {
      calls.length = 0;
      const query = { lines, follow: false };
      const found = await linesOf(lambdaAppOutput({ ...parts, clock }).read(shop('1'), query, signal));
      return [found, calls.filter(({ name, input }) => name === 'FilterLogEvents' && !input.nextToken).length];
    };
    expect(await last(1)).toEqual([['0 ago'], 1]);
    expect(await last(2)).toEqual([['2 ago', '0 ago'], 2]);
    expect(await last(5)).toEqual([['3000 ago', '90 ago', '4 ago', '2 ago', '0 ago'], 7]);
    expect(await last(100)).toEqual([['19000 ago', '3000 ago', '90 ago', '4 ago', '2 ago', '0 ago'], 8]);
  });

  it('has a log that is tagged with the name of its function, by which its role knows it', async () => {
    const calls = follow(parts.logs);
    await deployed('1');
    expect(calls.find(({ name }) => name === 'CreateLogGroup')?.input.tags).toEqual({ function: nameOfFunction() });
  });

  it('has no values of its variables in the error of a failed start, of which the log has each cause', async () => {
    await deployed('1');
    await lambdaAppVariables(parts).set(shop('1'), { PASSWORD: 'database' });
    const failed = await deployed('2', 'does not start').catch((error: { logTail: string[] }) => error);
    expect(failed).toMatchObject({ logTail: ['no *** here'] });
    expect(inspect(failed, { depth: null })).not.toContain('database');
  });

  it('shows what its build printed, without what CodeBuild says', async () => {
    await deployed('1', 'cannot be built').catch(() => {});
    expect(await linesOf(lambdaBuildOutput(parts).read(shop('1'), true, signal))).toEqual([
      'no compiler here',
      '--- error: npm install exited with code 1: no compiler here.',
    ]);
    expect(await lambdaBuildOutput(parts).read(shop('9'), true, signal)).toBeNull();
  });
});

describe('the variables of an application on AWS Lambda', () => {
  it.each(['A', '_A', '1A', 'AWS_REGION', 'PORT', 'LAMBDA_TASK_ROOT', 'RELEASE', 'AWS_LWA_PORT'])(
    'cannot be named %s',
    async (name) => {
      const variables = lambdaAppVariables(parts);
      await variables.create(shop('1'), 'shop');
      await expect(variables.set(shop('1'), { [name]: 'x' })).rejects.toMatchObject({ code: 'request:bad_parameter' });
    },
  );

  it('are not in the table in clear', async () => {
    const variables = lambdaAppVariables(parts);
    await variables.create(shop('1'), 'shop');
    await variables.set(shop('1'), { PASSWORD: 'secret' });
    expect(JSON.stringify(await parts.table.list({ pk: `A#${user}` }))).not.toContain('secret');
  });
});

/** What a service answers to a call that it refuses. */
async function refused(name = 'ServiceUnavailableException'): Promise<never> {
  throw Object.assign(new Error('Refused.'), { name });
}

/**
 * Returns parts whose worker is killed before the second of the writes that say what has become of an application: its
 * state, and the event about it.
 */
function interrupted<Parts extends { readonly table: PlatformTable }>(parts: Parts): Parts {
  let writes = 0;
  const write: PlatformTable['write'] = async (key, changes, condition) => {
    if ('state' in changes || 'event' in changes) writes += 1;
    if (writes === 2) throw new Error('The worker was killed.');
    return parts.table.write(key, changes, condition);
  };
  return { ...parts, table: { ...parts.table, write } };
}

it.each(['KEY', 'constructor', 'toString'])('the value of the variable %s is not in the lines of a log', (name) => {
  const environment = environmentOf({ [name]: 'canary-value' }, '1.0.0-7');
  expect(masked(['1.0.0-7 got canary-value'], environment)).toEqual(['1.0.0-7 got ***']);
});
