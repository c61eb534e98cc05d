import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { KMSClient } from '@aws-sdk/client-kms';
import { DeleteFunctionCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { keepJobs, lambdaCron } from '../../../../../../functions/adapters/platform/aws-lambda/jobs/cron-table.ts';
import { removeJobs } from '../../../../../../functions/adapters/platform/aws-lambda/jobs/job-function.ts';
import { objectKeys, runKeys } from '../../../../../../functions/adapters/platform/aws-lambda/names.ts';
import type { LambdaPlatformParts } from '../../../../../../functions/adapters/platform/aws-lambda/parts.ts';
import { jobPlanOf, planOf } from '../../../../../../functions/adapters/platform/aws-lambda/run/versions.ts';
import {
  recordEvent,
  tableAppEvents,
} from '../../../../../../functions/adapters/platform/aws-lambda/table/app-events.ts';
import { keys } from '../../../../../../functions/adapters/platform/aws-lambda/table/items.ts';
import { applyIncident } from '../../../../../../functions/watch-apps/incident.ts';
import { watchApps } from '../../../../../../functions/watch-apps/watch.ts';
import { memoryClock, memoryIds } from '../../../../../fakes/clock.ts';
import { memoryLog } from '../../../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../../../fakes/job-queue.ts';
import { memoryTable } from '../../../../../fakes/platform-table.ts';
import { AT, MINUTE } from '../../../../../support/entries.ts';

const at = { region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 's' } };
const app = { user: 'ann', app: 'shop' };
const HOURLY = { command: 'node report.js', schedule: '0 * * * *' };
const OTHER = { command: 'node clean.js', schedule: '30 * * * *' };
const JOB = 'The job "node report.js" (0 * * * *)';
const HOUR = 60 * MINUTE;

/** An application with cron, S3 in memory, and the log of its user. */
async function world() {
  const clock = memoryClock(AT);
  const table = memoryTable();
  const [s3, lambda] = [new S3Client(at), new LambdaClient(at)];
  const objects = new Map<string, { readonly text: string; readonly at: number }>();
  const store = (key = '', text = '') => void objects.set(key, { text, at: clock.now() });
  const found = (key = '') => {
    const object = objects.get(key);
    if (object) return object;
    throw Object.assign(new Error('Not Found'), { name: 'NoSuchKey', $metadata: { httpStatusCode: 404 } });
  };
  /** What happens after the next looks at a report. */
  const heads: (() => void)[] = [];
  const mock = mockClient(s3);
  mock.on(PutObjectCommand).callsFake(async ({ Key, Body }) => store(Key, String(Body)));
  mock.on(DeleteObjectCommand).callsFake(async ({ Key }) => void objects.delete(Key));
  mock.on(HeadObjectCommand).callsFake(async ({ Key }) => {
    const { text, at: time } = found(Key);
    heads.shift()?.();
    return { ContentLength: text.length, LastModified: new Date(time) };
  });
  mock.on(GetObjectCommand).callsFake(async ({ Key }) => {
    const { text } = found(Key);
    return { Body: { transformToString: async () => text, transformToByteArray: async () => Buffer.from(text) } };
  });
  const calls = mockClient(lambda);
  calls.on(InvokeCommand).resolves({});
  calls.on(DeleteFunctionCommand).resolves({});
  const names = { bucket: 'apps', project: 'build', functionPrefix: 'hooks-app-', appRole: 'r', adapterLayer: 'l' };
  const parts: LambdaPlatformParts = {
    ...{ ...names, architecture: 'arm64', sealingKey: 'k', appTimeoutSeconds: 30, appConcurrency: 0 },
    ...{ table, lambda, s3, clock, watcher: undefined },
    ...{ codeBuild: new CodeBuildClient(at), logs: new CloudWatchLogsClient(at), kms: new KMSClient(at) },
  };
  mockClient(parts.logs).resolves({});
  const log = memoryLog();
  const position = [0];
  const cursor = { read: async () => position.at(-1) ?? 0, write: async (seq: number) => void position.push(seq) };
  const ids = memoryIds();
  const traced: unknown[] = [];
  const trace = (event: string, about?: object) => void traced.push([event, about]);
  const stores = { log, appFacts: log, queue: memoryQueue(), clock, cursor, trace };
  const watch = () =>
    watchApps({
      ...{ ...stores, events: tableAppEvents(table, clock), cron: lambdaCron(parts) },
      health: { ended: async () => {}, recheck: async () => {} },
      incident: (one) => applyIncident(one, { ...stores, ids }),
    });
  const deploy = async (...cron: object[]) => {
    const release = { ...app, snapshot: '1.0.0-1' };
    store(objectKeys(release).cron, JSON.stringify(cron));
    await table.write(keys.snapshot(release), { sha256: '', bytes: 0, at: AT, state: 'ready' });
    // The function that runs commands is there.
    const { description } = jobPlanOf(planOf(release, {}, { parts, fresh: false }));
    await table.write(keys.app(app), { name: 'shop', state: 'running', jobs: description });
    await keepJobs(release, parts);
  };
  return {
    ...{ clock, table, calls, heads, parts, deploy, traced },
    /** Says how the run of an entry has ended. */
    end: (exit: number, more: object = {}, run = '@cron.1') => {
      const output = runKeys(app, run).output;
      store(output, `${JSON.stringify({ exit, at: 'then', seconds: 1, reason: null, ...more })}\n`);
    },
    /** The watch of a minute, and that of the next one. */
    minutes: async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) {
        clock.pass(MINUTE);
        // The schedule may call twice.
        await Promise.all([watch(), watch()]);
      }
    },
    told: async () => (await log.page({ user: 'ann', app: null, skip: 0, limit: 100 })).entries,
  };
}

let { clock, table, calls, heads, parts, deploy, traced, end, minutes, told } = {} as Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  ({ clock, table, calls, heads, parts, deploy, traced, end, minutes, told } = await world());
  await deploy(HOURLY);
});
/** Lets the next run begin, and end so. */
async function run(exit: number, more: object = {}) {
  clock.pass(HOUR - (clock.now() % HOUR));
  await minutes(1);
  end(exit, more);
  await minutes(2);
}
const states = async () => (await told()).map(({ status, reason, message }) => `${status}: ${reason ?? message}`);

describe('a job of cron that fails on AWS', () => {
  it('is an entry from its first failure on, which is ok from its first success on', async () => {
    await run(0);
    expect(await told()).toEqual([]);
    await run(4, { lines: ['working', 'Error: no disk'] });
    const failed = { appName: 'shop', operation: 'incident', provider: 'service', status: 'crashed' };
    expect(await told()).toMatchObject([
      { ...failed, reason: `${JOB} exited with code 4: Error: no disk`, logTail: ['working', 'Error: no disk'] },
    ]);
    await run(4);
    expect(await told()).toHaveLength(1);
    await run(0);
    await run(0);
    expect(await states()).toEqual([`ok: ${JOB} has succeeded.`]);
    expect(traced).toEqual([]);
  });

  it('and fails again is told in another entry after an hour, and in the same one before', async () => {
    await deploy({ ...HOURLY, schedule: '*/20 * * * *' });
    const turn = async (exit: number) => {
      clock.pass(20 * MINUTE - (clock.now() % (20 * MINUTE)));
      await minutes(1);
      end(exit);
      await minutes(2);
    };
    for (const exit of [1, 0, 1, 0]) await turn(exit);
    expect(await states()).toHaveLength(1);
    for (let times = 0; times < 6; times += 1) await turn(0);
    await turn(1);
    expect((await states()).map((state) => state.split(':')[0])).toEqual(['crashed', 'ok']);
  });

  it('is told of every ten minutes at most', async () => {
    await deploy({ ...HOURLY, schedule: '* * * * *' });
    const seen = new Set<string | undefined>();
    for (let minute = 0; minute < 9; minute += 1) {
      await minutes(1);
      end(minute % 2);
      seen.add((await told())[0]?.status);
    }
    expect(seen).toEqual(new Set([undefined, 'crashed']));
    for (let minute = 0; minute < 4; minute += 1) {
      end(0);
      await minutes(1);
    }
    expect((await told()).map(({ status }) => status)).toEqual(['ok']);
  });

  it('is one that did not begin, was lost, or was refused, too', async () => {
    clock.pass(HOUR - (clock.now() % HOUR));
    await minutes(3);
    expect(await states()).toEqual([expect.stringContaining(`${JOB} could not begin within 60 seconds`)]);
    await run(0);
    calls.on(InvokeCommand).rejects(Object.assign(new Error('No.'), { name: 'TooManyRequestsException' }));
    clock.pass(HOUR);
    await run(0);
    expect((await states())[0]).toMatch(/^crashed: The job .* did not run: /);
  });

  it('may end between a look and the next run, which begins at once', async () => {
    await deploy({ ...HOURLY, schedule: '* * * * *' });
    await minutes(1);
    heads.push(() => end(3));
    await minutes(1);
    await minutes(1);
    expect(await states()).toEqual([expect.stringMatching(/exited with code 3\.$/)]);
  });

  it('is over when the application does not have it any more, and no other job has failed for it', async () => {
    await run(1);
    await deploy(OTHER);
    await minutes(2);
    expect(await states()).toEqual([`ok: ${JOB} is not there any more.`]);
    // What ran when it was replaced has the name of the other one.
    await deploy(HOURLY, OTHER);
    clock.pass(HOUR - (clock.now() % HOUR));
    await minutes(1);
    end(0, {}, '@cron.2');
    await deploy(OTHER);
    end(1);
    clock.pass(29 * MINUTE);
    await minutes(1);
    end(0);
    await minutes(3);
    expect(await states()).toEqual([`ok: ${JOB} is not there any more.`]);
  });

  it('is over when the application is removed, also while it runs', async () => {
    await run(1);
    await removeJobs(app, parts);
    await table.remove(keys.app(app));
    await minutes(2);
    expect(await states()).toEqual([`ok: ${JOB} is not there any more.`]);
    clock.pass(HOUR);
    await minutes(1);
    expect(await table.list(keys.dueApps())).toEqual([]);
  });

  it('leaves nothing in the table an hour after it is over', async () => {
    await run(1);
    await run(0);
    expect(await table.list(keys.events())).toHaveLength(1);
    clock.pass(2 * HOUR);
    const crash = { snapshot: '1.0.0-1', state: 'crashed', reason: null, log: [] } as const;
    await recordEvent(table, { ...crash, user: 'bob', app: 'blog', seq: clock.now() });
    await minutes(2);
    expect((await table.list(keys.events())).map(({ sk }) => sk)).toEqual(['bob/blog']);
    await run(1);
    expect((await told()).map(({ status }) => status)).toEqual(['crashed', 'ok']);
  });
});
