import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { lambdaBuildOutput } from '../../../../../../functions/adapters/platform/aws-lambda/build/build-output.ts';
import { lambdaPlatform } from '../../../../../../functions/adapters/platform/aws-lambda/hosting.ts';
import { functionName } from '../../../../../../functions/adapters/platform/aws-lambda/names.ts';
import { lambdaAppHealth } from '../../../../../../functions/adapters/platform/aws-lambda/run/app-health.ts';
import { lambdaAppOutput } from '../../../../../../functions/adapters/platform/aws-lambda/run/app-output.ts';
import { lambdaAppVariables } from '../../../../../../functions/adapters/platform/aws-lambda/run/app-variables.ts';
import { environmentOf, masked } from '../../../../../../functions/adapters/platform/aws-lambda/run/environment.ts';
import { lambdaAppOperations } from '../../../../../../functions/adapters/platform/aws-lambda/run/operations.ts';
import {
  recordEvent,
  tableAppEvents,
} from '../../../../../../functions/adapters/platform/aws-lambda/table/app-events.ts';
import { tableApplications } from '../../../../../../functions/adapters/platform/aws-lambda/table/applications.ts';
import type { PlatformTable } from '../../../../../../functions/adapters/platform/aws-lambda/table/table.ts';
import type { PrintedLine } from '../../../../../../functions/api/shapes/log.ts';
import { type ApplicationsUnderTest, applicationsContract } from '../../../../../contracts/applications.ts';
import { hostingPlatformContract, uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { type FakeAws, fakeAws } from '../../../../../fakes/aws/platform-parts.ts';

const tarball = async (_app: string, version: string, behaviour: string) =>
  Buffer.from(JSON.stringify({ version, behaviour }));

async function onFakes(aws = fakeAws()): Promise<ApplicationsUnderTest> {
  const { parts } = aws;
  return {
    platform: lambdaPlatform(parts),
    applications: tableApplications(parts),
    operations: lambdaAppOperations(parts),
    output: lambdaAppOutput(parts),
    variables: lambdaAppVariables(parts),
    user: 'kiwi',
    tarball,
    version: async (_app, url) => aws.functions.at(url)?.program.version ?? 'nothing',
    close: async () => {},
  };
}

hostingPlatformContract('AWS Lambda', onFakes);
applicationsContract('AWS Lambda', onFakes);

const shop = (snapshot: string) => ({ user: 'kiwi', app: 'shop', snapshot });

/** Uploads a version. */
async function uploaded(snapshot: string, behaviour = 'runs') {
  const platform = lambdaPlatform(aws.parts);
  await platform.ensureApp(shop(snapshot), { name: 'shop' });
  await platform.upload(shop(snapshot), uploadOf(await tarball('shop', snapshot, behaviour)));
  return platform;
}

/** Uploads and builds a version, and starts it. */
async function deployed(snapshot: string, behaviour = 'runs') {
  const platform = await uploaded(snapshot, behaviour);
  await platform.activate(shop(snapshot));
  while ((await platform.poll(shop(snapshot))).state === 'building');
  return platform.start(shop(snapshot));
}

const { signal } = new AbortController();

/** The texts of an output that ends. */
async function linesOf(output: Promise<AsyncIterable<readonly PrintedLine[]> | null>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const batch of (await output) ?? []) found.push(...batch.map(({ line }) => line));
  return found;
}

const FUNCTION = functionName('stack-app', shop('1'));

let aws: FakeAws;
beforeEach(() => {
  aws = fakeAws();
});

describe('an application on AWS Lambda', () => {
  it('is announced when it is built, so that nobody polls', async () => {
    const platform = await uploaded('1');
    await platform.activate(shop('1'), { path: 'packages/web', settings: { build: 'make' }, clean: true });
    expect(await platform.poll(shop('1'))).toEqual({ state: 'building', announced: true });
    const [build] = aws.builds.all;
    expect(build?.input.environmentVariablesOverride).toEqual([
      { name: 'JOB_URL', type: 'PLAINTEXT', value: expect.stringMatching(/^https:.*X-Amz-Signature=/) },
      { name: 'SNAPSHOT', type: 'PLAINTEXT', value: 'kiwi/shop/1' },
    ]);
    const job = JSON.parse(aws.objects.get('jobs/kiwi/shop/1.json')?.toString() ?? '');
    expect(job).toMatchObject({
      path: 'packages/web',
      settings: { build: 'make' },
      clean: true,
      release: expect.stringContaining('releases/kiwi/shop/1.zip?'),
    });
  });

  it('is built in a project of its own, which changes as the one of the stack does and goes with it', async () => {
    await deployed('1');
    expect(aws.builds.all.map(({ input }) => input.projectName)).toEqual([FUNCTION]);
    expect(aws.builds.projects.get(FUNCTION)).toMatchObject({ source: { type: 'S3' } });
    const source = { type: 'S3' as const, location: 'assets/newer.zip' };
    const environment = {
      type: 'ARM_LAMBDA_CONTAINER' as const,
      image: 'image',
      computeType: 'BUILD_LAMBDA_4GB' as const,
    };
    aws.builds.projects.set('project', { name: 'project', source, environment, timeoutInMinutes: 15 });
    await deployed('2');
    // CodeBuild reports the limit of Lambda compute, and refuses to be given it.
    const { timeoutInMinutes, ...changed } = aws.builds.projects.get(FUNCTION) ?? {};
    expect([timeoutInMinutes, changed]).toEqual([undefined, expect.objectContaining({ source, environment })]);
    await lambdaAppOperations(aws.parts).remove(shop('1'));
    expect([...aws.builds.projects.keys()]).toEqual(['project']);
  });

  it('says in its result what its build has noted', async () => {
    const platform = await uploaded('1', 'has a worker');
    await platform.activate(shop('1'));
    await platform.poll(shop('1'));
    const noted = { state: 'ready', note: 'Only web is run.' };
    expect([await platform.poll(shop('1')), await platform.poll(shop('1'))]).toEqual([noted, noted]);
  });

  it('is built again when CodeBuild has lost the build', async () => {
    const platform = await uploaded('1');
    await platform.activate(shop('1'));
    aws.builds.fate = 'FAULT';
    await platform.poll(shop('1'));
    const lost = { code: 'deploy:tar:extract_failed', retry: true };
    await expect(platform.poll(shop('1'))).rejects.toMatchObject(lost);
    await platform.activate(shop('1'));
    await platform.poll(shop('1'));
    const note = 'AWS CodeBuild lost the build, which began again.';
    expect(await platform.poll(shop('1'))).toEqual({ state: 'ready', note });
    expect(aws.builds.all).toHaveLength(2);
  });

  it('has failed when CodeBuild has lost it twice', async () => {
    const platform = await uploaded('1');
    for (const ends of ['rejects', 'resolves'] as const) {
      await platform.activate(shop('1'));
      aws.builds.fate = 'FAULT';
      await platform.poll(shop('1'));
      await expect(platform.poll(shop('1')))[ends].toBeDefined();
    }
    await platform.activate(shop('1'));
    const reason = expect.stringMatching(/^AWS CodeBuild lost the build twice/);
    expect(await platform.poll(shop('1'))).toMatchObject({ state: 'failed', reason });
    expect(aws.builds.all).toHaveLength(2);
  });

  it('is built once, also when it is activated twice at once and once more after it has failed', async () => {
    const platform = await uploaded('1', 'cannot be built');
    await Promise.all([platform.activate(shop('1')), platform.activate(shop('1'))]);
    await platform.activate(shop('1'));
    while ((await platform.poll(shop('1'))).state === 'building');
    await platform.activate(shop('1'));
    expect(await platform.poll(shop('1'))).toMatchObject({ state: 'failed' });
    expect(aws.builds.all).toHaveLength(1);
  });

  it('says that a build took too long', async () => {
    aws.builds.fate = 'TIMED_OUT';
    await expect(deployed('1')).rejects.toMatchObject({ code: 'deploy:platform:start_app' });
    const result = await lambdaPlatform(aws.parts).poll(shop('1'));
    expect(result).toMatchObject({ state: 'failed', reason: expect.stringContaining('15 minutes') });
  });

  it("takes five calls of Lambda's control plane, which allows an account 15 a second", async () => {
    for (const snapshot of ['1', '2', '3', '4']) await deployed(snapshot);
    aws.functions.calls.length = 0;
    await deployed('5');
    // Those two have quotas of their own.
    const counted = aws.functions.calls.filter((name) => name !== 'GetFunction' && name !== 'Invoke');
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
    aws.functions.calls.length = 0;
    expect(await lambdaPlatform(aws.parts).start(shop('1'))).toEqual({ url });
    expect(aws.functions.calls).toContain('UpdateAlias');
    expect(aws.functions.calls).not.toContain('PublishVersion');
    expect(aws.functions.at(url)?.program.version).toBe('1');
  });

  it('rolls back with the variables of today', async () => {
    await deployed('1');
    const { url } = await deployed('2');
    await lambdaAppVariables(aws.parts).set(shop('1'), { GREETING: 'today' });
    await lambdaPlatform(aws.parts).start(shop('1'));
    expect(aws.functions.at(url)).toMatchObject({ program: { version: '1' }, environment: { GREETING: 'today' } });
  });

  describe('that has crashed', () => {
    /** A crashed application that would answer now, at a time at which it is due to be asked again. */
    async function crashed() {
      const { url } = await deployed('1');
      await aws.parts.table.write({ pk: 'A#kiwi', sk: 'shop' }, { state: 'crashed' });
      await recordEvent(aws.parts.table, { ...shop('1'), seq: 1, state: 'crashed', reason: 'It ended.', log: [] });
      const at = (minutes: number) => ({
        ...aws.parts,
        clock: { ...aws.parts.clock, now: () => Date.now() + minutes * 60_000 },
      });
      const found = async () => {
        const { events } = await tableAppEvents(aws.parts.table, aws.parts.clock).after(0);
        return [(await tableApplications(aws.parts).find(shop('1')))?.state, events[0]?.state];
      };
      return { url, at, found };
    }

    it('answers again, also when the worker of the watch is killed between the two writes', async () => {
      const { at, found } = await crashed();
      await expect(lambdaAppHealth(interrupted(at(10))).recheck()).rejects.toThrow();
      await lambdaAppHealth(at(20)).recheck();
      expect(await found()).toEqual(['running', 'running']);
    });

    it('is shown as crashed, also when the worker that found it was killed after it had told of it', async () => {
      const { url, at, found } = await crashed();
      await aws.parts.table.write({ pk: 'A#kiwi', sk: 'shop' }, { state: 'running' });
      Object.assign(aws.functions.at(url)?.program ?? {}, { behaviour: 'ends' });
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
    const before = aws.functions.at(url)?.number;
    await lambdaAppVariables(aws.parts).set(shop('1'), { GREETING: 'today' });
    await lambdaAppOperations(aws.parts).restart(shop('1'));
    expect(aws.functions.at(url)?.environment).toMatchObject({ GREETING: 'today', PORT: '8080' });
    expect(aws.functions.at(url)?.number).not.toBe(before);
  });

  it('never gets traffic when it answers 500, and its version is deleted', async () => {
    const { url } = await deployed('1');
    const refused = { code: 'deploy:platform:start_app', retry: false, detail: expect.stringContaining('500') };
    await expect(deployed('2', 'answers 500')).rejects.toMatchObject(refused);
    expect(aws.functions.at(url)?.program.version).toBe('1');
    expect(aws.functions.all.get(FUNCTION)?.versions.map(({ program }) => program.version)).toEqual(['1']);
  });

  it('keeps the versions of three deploys, and ten snapshots with their releases', async () => {
    for (let number = 1; number <= 12; number += 1) await deployed(String(number));
    expect(aws.functions.all.get(FUNCTION)?.versions.map(({ program }) => program.version)).toEqual(['10', '11', '12']);
    expect(await tableApplications(aws.parts).snapshots(shop('1'))).toHaveLength(10);
    const releases = [...aws.objects.keys()].filter((key) => key.startsWith('releases/'));
    expect(releases).toHaveLength(10);
    // A snapshot whose version is gone is started from its release.
    const { url } = await lambdaPlatform(aws.parts).start(shop('4'));
    expect(aws.functions.at(url)?.program.version).toBe('4');
  });

  it('leaves nothing behind when it is removed', async () => {
    await deployed('1');
    await lambdaAppOperations(aws.parts).remove(shop('1'));
    expect([aws.functions.all.size, aws.objects.size]).toEqual([0, 0]);
    expect(await aws.table.read({ pk: `F#${FUNCTION}`, sk: 'APP' })).toBeNull();
    expect([...aws.logs.groups.keys()]).toEqual(['builds']);
  });

  it('has a log of which the watch hears when an instance ends', async () => {
    await deployed('1');
    expect([...aws.logs.filters]).toEqual([
      [
        `/aws/lambda/${FUNCTION}`,
        { filterName: 'ended', filterPattern: '"Runtime.ExitError"', destinationArn: aws.parts.watcher },
      ],
    ]);
  });

  it('has a filter that is made once, again after the log was deleted, and for another watcher', async () => {
    await deployed('1');
    const group = `/aws/lambda/${FUNCTION}`;
    const made = () => aws.logs.puts.splice(0);
    expect(made()).toEqual([group]);
    await deployed('2');
    await lambdaAppOperations(aws.parts).restart(shop('2'));
    expect(made()).toEqual([]);
    const other = lambdaPlatform({ ...aws.parts, watcher: 'arn:other' });
    await other.start(shop('2'));
    expect([made(), aws.logs.filters.get(group)?.destinationArn]).toEqual([[group], 'arn:other']);
    aws.logs.groups.delete(group);
    await other.start(shop('1'));
    expect(made()).toEqual([group]);
  });

  it('has a filter made by the next start when the first was interrupted before it', async () => {
    aws.logs.refusesFilters = true;
    await expect(deployed('1')).rejects.toThrow();
    aws.logs.refusesFilters = false;
    await lambdaPlatform(aws.parts).start(shop('1'));
    expect(aws.logs.filters.size).toBe(1);
  });

  it('is followed with longer pauses while nothing comes, and on when the rate of the region is used up', async () => {
    await deployed('1');
    const group = `/aws/lambda/${FUNCTION}`;
    aws.logs.groups.set(group, []);
    let now = Date.now();
    const pauses: number[] = [];
    const stop = new AbortController();
    const sleep = async (ms: number) => {
      pauses.push(ms / 1000);
      now += ms;
      if (pauses.length === 4) aws.logs.write(group, '[1]', 'at last', now);
      if (pauses.length === 6) aws.logs.throttles = 4;
      if (pauses.length === 11) aws.logs.write(group, '[1]', 'again', now);
      if (pauses.length === 12) stop.abort();
    };
    const clock = { ...aws.parts.clock, now: () => now, sleep };
    const query = { lines: 0, follow: true };
    const found = await linesOf(lambdaAppOutput({ ...aws.parts, clock }).read(shop('1'), query, stop.signal));
    expect(found).toEqual(['at last', 'again']);
    expect(pauses).toEqual([4, 8, 10, 10, 2, 4, 2, 4, 8, 10, 8, 2]);
  });

  it('cannot have the service run more than once a minute by lines that it prints', async () => {
    await deployed('1');
    const group = `/aws/lambda/${FUNCTION}`;
    const [filter] = aws.logs.filters.values();
    const at = (seconds: number) =>
      lambdaAppHealth({ ...aws.parts, clock: { ...aws.parts.clock, now: () => seconds * 1000 } });
    // Whatever the stream is called: any line that matches has come here.
    await at(0).ended({ group, stream: 'printed' });
    await at(59).recheck();
    expect(aws.logs.filters.size).toBe(0);
    await at(60).recheck();
    expect(aws.logs.filters.get(group)).toEqual(filter);
    await at(61).ended({ group, stream: 'printed' });
    await at(90).recheck();
    expect(aws.logs.filters.size).toBe(0);
    await lambdaAppOperations(aws.parts).remove(shop('1'));
    await at(200).recheck();
    expect([aws.logs.filters.size, await aws.table.list({ pk: 'Q' })]).toEqual([0, []]);
  });

  describe('that has a role of its own', () => {
    const OWN = functionName('stack-app-us-east-1', shop('1'));
    const own = () => ({ ...aws.parts, roleBoundary: 'arn:aws:iam::000000000000:policy/bounds' });
    /** Starts a built snapshot with these parts, and returns the role with which the application runs. */
    const roleOfStart = async (snapshot: string, parts: FakeAws['parts']) => {
      const { url } = await lambdaPlatform(parts).start(shop(snapshot));
      return aws.functions.at(url)?.role;
    };

    it('runs with it, which is bounded and may write the log of this application and nothing else', async () => {
      await deployed('1');
      expect(await roleOfStart('1', own())).toBe(OWN);
      const role = aws.roles.all.get(OWN);
      expect(role).toMatchObject({ PermissionsBoundary: own().roleBoundary });
      expect(JSON.parse(role?.AssumeRolePolicyDocument ?? '').Statement).toEqual([
        { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ]);
      const group = `arn:aws:logs:us-east-1:000000000000:log-group:/aws/lambda/${FUNCTION}`;
      expect([...(role?.policies.values() ?? [])].map((text) => JSON.parse(text).Statement)).toEqual([
        [
          { Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: `${group}:*` },
          { Effect: 'Deny', Action: 'logs:PutLogEvents', Resource: `${group}:log-stream:platform` },
        ],
      ]);
    });

    it('gets it from the next start on, also of a version that is there, and gives it back so', async () => {
      const { url } = await deployed('1');
      expect([aws.functions.at(url)?.role, aws.roles.all.size]).toEqual(['apps', 0]);
      expect(await roleOfStart('1', own())).toBe(OWN);
      expect(await roleOfStart('1', aws.parts)).toBe('apps');
    });

    it('waits for Lambda to know a role that is new, of a new function and of one that is there', async () => {
      await deployed('1');
      aws.roles.unknownFor = 3;
      expect(await roleOfStart('1', own())).toBe(OWN);
      await lambdaAppOperations(aws.parts).remove(shop('1'));
      await (await uploaded('1')).activate(shop('1'));
      while ((await lambdaPlatform(aws.parts).poll(shop('1'))).state === 'building');
      aws.roles.unknownFor = 3;
      expect(await roleOfStart('1', own())).toBe(OWN);
    });

    it('takes it along when it is removed, whichever role it had last, and also after a start that was interrupted', async () => {
      await deployed('1');
      await roleOfStart('1', own());
      await roleOfStart('1', aws.parts);
      await lambdaAppOperations(aws.parts).remove(shop('1'));
      expect(aws.roles.all.size).toBe(0);
      await deployed('1');
      aws.roles.refusesPolicies = true;
      await expect(lambdaPlatform(own()).start(shop('1'))).rejects.toThrow();
      expect(aws.roles.all.size).toBe(1);
      await lambdaAppOperations(aws.parts).remove(shop('1'));
      expect(aws.roles.all.size).toBe(0);
    });
  });

  describe('whose role may not write its log', () => {
    const group = `/aws/lambda/${FUNCTION}`;
    const soon = (seconds: number) => {
      const clock = { ...aws.parts.clock, now: () => Date.now() + seconds * 1000 };
      return lambdaAppHealth({ ...aws.parts, clock }).recheck();
    };
    const noted = async () => {
      const { events } = await tableAppEvents(aws.table, aws.parts.clock).after(0);
      return events.map(({ state, snapshot, reason }) => [state, snapshot, reason]);
    };
    const note = ['running', '1', expect.stringMatching(/^Nothing .+ is logged: .+ AppRoles=own .+\.$/)];
    const stream = (version: string) => `${new Date().toISOString().slice(0, 10).replaceAll('-', '/')}/[${version}]f0`;

    it('says so a minute after its start, once', async () => {
      await deployed('1');
      await soon(50);
      expect(await noted()).toEqual([]);
      await soon(61);
      expect(await noted()).toEqual([note]);
      expect(await aws.table.list({ pk: 'Q' })).toEqual([]);
    });

    it('says so at each start, until a version has written', async () => {
      await deployed('1');
      aws.logs.write(group, 'platform', 'serves');
      aws.logs.write(group, stream('7'), 'of another version');
      await soon(61);
      expect(await noted()).toEqual([note]);
      await deployed('2');
      aws.logs.write(group, stream('2'), 'hello');
      await soon(61);
      expect(await noted()).toEqual([note]);
      await deployed('3');
      expect(await aws.table.list({ pk: 'Q' })).toEqual([]);
      aws.logs.groups.delete(group);
      await deployed('4');
      expect(await aws.table.list({ pk: 'Q' })).toMatchObject([{ snapshot: '4', version: '4' }]);
    });

    it('says something else when it has a role of its own', async () => {
      await deployed('1');
      await lambdaPlatform({ ...aws.parts, roleBoundary: 'arn:bounds' }).start(shop('1'));
      await soon(61);
      expect(await noted()).toEqual([['running', '1', expect.stringContaining('a role of its own already')]]);
    });

    it('is not looked at any more when it was removed', async () => {
      await deployed('1');
      await lambdaAppOperations(aws.parts).remove(shop('1'));
      expect(await aws.table.list({ pk: 'Q' })).toEqual([]);
      await deployed('1');
      aws.logs.groups.delete(group);
      await soon(61);
      expect([await noted(), await aws.table.list({ pk: 'Q' })]).toEqual([[], []]);
    });
  });

  it('shows its last lines, of whatever age, and reads no more of its log than it must', async () => {
    await deployed('1');
    const group = `/aws/lambda/${FUNCTION}`;
    aws.logs.groups.set(group, []);
    const now = Date.now();
    const ago = (minutes: number) => now - minutes * 60_000;
    for (const minutes of [19_000, 3000, 90, 4, 2, 0]) aws.logs.write(group, '[1]', `${minutes} ago`, ago(minutes));
    const clock = { ...aws.parts.clock, now: () => now };
    const last = async (lines: number) => {
      aws.logs.searches.length = 0;
      const query = { lines, follow: false };
      const found = await linesOf(lambdaAppOutput({ ...aws.parts, clock }).read(shop('1'), query, signal));
      return [found, aws.logs.searches.length];
    };
    expect(await last(1)).toEqual([['0 ago'], 1]);
    expect(await last(2)).toEqual([['2 ago', '0 ago'], 2]);
    expect(await last(5)).toEqual([['3000 ago', '90 ago', '4 ago', '2 ago', '0 ago'], 7]);
    expect(await last(100)).toEqual([['19000 ago', '3000 ago', '90 ago', '4 ago', '2 ago', '0 ago'], 8]);
  });

  it('has a log that is tagged with the name of its function, by which its role knows it', async () => {
    await deployed('1');
    expect(aws.logs.tags.get(`/aws/lambda/${FUNCTION}`)).toEqual({ function: FUNCTION });
  });

  it('is running again, with an event, when it is restarted after a crash', async () => {
    await deployed('1');
    await aws.table.write({ pk: 'A#kiwi', sk: 'shop' }, { state: 'crashed' });
    expect(await tableApplications(aws.parts).find(shop('1'))).toMatchObject({ state: 'crashed' });
    await lambdaAppOperations(aws.parts).restart(shop('1'));
    expect(await tableApplications(aws.parts).find(shop('1'))).toMatchObject({ state: 'running' });
    const { events, last } = await tableAppEvents(aws.table, aws.parts.clock).after(0);
    expect(events).toEqual([{ ...shop('1'), seq: last, state: 'running', reason: null, log: [] }]);
    expect(await tableAppEvents(aws.table, aws.parts.clock).after(last + 60_000)).toEqual({
      events: [],
      last: last + 60_000,
    });
  });

  it('has no values of its variables in the error of a failed start, of which the log has each cause', async () => {
    await deployed('1');
    await lambdaAppVariables(aws.parts).set(shop('1'), { PASSWORD: 'database' });
    const failed = await deployed('2', 'does not start').catch((error: { logTail: string[] }) => error);
    expect(failed).toMatchObject({ logTail: ['no *** here'] });
    expect(inspect(failed, { depth: null })).not.toContain('database');
  });

  it('shows what its build printed, without what CodeBuild says', async () => {
    await deployed('1', 'cannot be built').catch(() => {});
    expect(await linesOf(lambdaBuildOutput(aws.parts).read(shop('1'), true, signal))).toEqual([
      'no compiler here',
      '--- error: npm install exited with code 1: no compiler here.',
    ]);
    expect(await lambdaBuildOutput(aws.parts).read(shop('9'), true, signal)).toBeNull();
  });

  it.each([
    ['a b/ü', 'x'.repeat(80), /^stack-app-a-b--x{30,}-[0-9a-f]{16}$/],
    ['kiwi', 'shop', /^stack-app-kiwi-shop-[0-9a-f]{16}$/],
  ])('has a function whose name Lambda allows: %s %s', (user, app, pattern) => {
    const name = functionName('stack-app', { user, app });
    expect(name).toMatch(pattern);
    expect(name.length).toBeLessThanOrEqual(64);
    expect(name).not.toBe(functionName('stack-app', { user: `${user}-`, app }));
  });
});

describe('the variables of an application on AWS Lambda', () => {
  it('are refused before anything is built when they are more than 4 KB, and may be removed', async () => {
    const variables = lambdaAppVariables(fakeAws().parts);
    await variables.create(shop('1'), 'shop');
    const large = { code: 'request:too_large', detail: expect.stringContaining('4 KB') };
    await expect(variables.set(shop('1'), { LARGE: 'x'.repeat(4000) })).rejects.toMatchObject(large);
    expect(await variables.set(shop('1'), { LARGE: 'x'.repeat(3000) })).toBe(true);
    await expect(variables.set(shop('1'), { MORE: 'x'.repeat(1000) })).rejects.toMatchObject(large);
    expect(await variables.unset(shop('1'), 'LARGE')).toBe(true);
  });

  it.each(['A', '_A', '1A', 'AWS_REGION', 'PORT', 'LAMBDA_TASK_ROOT', 'RELEASE', 'AWS_LWA_PORT'])(
    'cannot be named %s',
    async (name) => {
      const variables = lambdaAppVariables(fakeAws().parts);
      await variables.create(shop('1'), 'shop');
      await expect(variables.set(shop('1'), { [name]: 'x' })).rejects.toMatchObject({ code: 'request:bad_parameter' });
    },
  );

  it('are not in the table in clear', async () => {
    const variables = lambdaAppVariables(aws.parts);
    await variables.create(shop('1'), 'shop');
    await variables.set(shop('1'), { PASSWORD: 'secret' });
    expect(JSON.stringify(await aws.table.list({ pk: 'A#kiwi' }))).not.toContain('secret');
  });
});

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
