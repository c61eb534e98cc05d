import { GetObjectCommand } from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { type CronEntry, timesOf } from '../../../../../lib/builder/start/cron.ts';
import { forEachLimit, mapLimit } from '../../../../core/concurrency.ts';
import { DeployError } from '../../../../core/errors.ts';
import { jsonIn } from '../../../../core/json-value.ts';
import type { AppProcesses } from '../../../../core/ports/applications.ts';
import type { AppCron, AppRef, SnapshotRef } from '../../../../core/ports/platform.ts';
import type { CronJob } from '../../../../core/ports/processes.ts';
import { onAws } from '../../../aws/failures.ts';
import { cronName, functionName, objectKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { note, printedBy } from '../run/app-log.ts';
import { keys, pathOf } from '../table/items.ts';
import { beginJob, ensureJobFunction } from './job-function.ts';
import { findReport, reportBytes } from './report-object.ts';

/** Applications whose cron is due, at a time; and objects of one application. */
const AT_A_TIME = 20;
/** A run of the watch begins no application after that time, so that none is taken and not begun; the next run does. */
const BEGIN_MS = 40_000;
/** A run tells every five seconds that it goes on, and first when Lambda has begun it. */
const SILENT_MS = 90_000;
const LAST_BYTES = 1024;
/** As of a build. */
const MOST_ENTRIES = 20;

/**
 * Keeps what runs the commands of an application in step with a release that serves: its second function, if it has one or
 * needs one, and the times of its cron. What was due before is not made up for.
 */
export async function keepJobs(release: SnapshotRef, parts: LambdaPlatformParts): Promise<void> {
  const { table, clock } = parts;
  const cron = await builtCron(release, parts);
  const app = await table.read(keys.app(release));
  if (cron.length > 0 || app?.jobs !== undefined) await ensureJobFunction(release, parts);
  if (cron.length === 0 && app?.cron === undefined) return;
  const due = await plan(release, nextOf(cron, clock.now()), parts);
  await table.write(keys.app(release), { cron: cron.length > 0 ? cron : null, due }, { exists: true });
}

/** What a build has stored; it has checked the schedules. */
const Built = v.array(v.object({ command: v.string(), schedule: v.string(), timezone: v.exactOptional(v.string()) }));

/** A release that was built before this was stored has none. */
async function builtCron(release: SnapshotRef, { s3, bucket }: LambdaPlatformParts): Promise<readonly CronEntry[]> {
  const { cron: Key } = objectKeys(release);
  const stored = await s3.send(new GetObjectCommand({ Bucket: bucket, Key })).catch((error: unknown) => {
    if (error instanceof Error && ['NoSuchKey', 'AccessDenied'].includes(error.name)) return undefined;
    throw error;
  });
  return v.parse(Built, jsonIn((await stored?.Body?.transformToString()) ?? '[]')).slice(0, MOST_ENTRIES);
}

/** Returns the first time after another one, in milliseconds since 1970; undefined for none. */
function nextOf(cron: readonly CronEntry[], after: number): number | undefined {
  const times = cron.flatMap((entry) => timesOf(entry).nextRun(new Date(after))?.getTime() ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Stores when the cron of an application is due, and returns the sort key of that item. */
async function plan({ user, app }: AppRef, at: number | undefined, { table }: LambdaPlatformParts) {
  if (at === undefined) return null;
  const sk = `${new Date(at).toISOString()}#${pathOf({ user, app })}`;
  await table.write(keys.due(sk), { user, app });
  return sk;
}

/**
 * Returns what begins the commands of cron. The watch calls it every minute, so that schedules mean here what they mean on one
 * machine, by the same parser, to the minute.
 */
export function lambdaCron(parts: LambdaPlatformParts): AppCron {
  return {
    runDue: async () => {
      const now = parts.clock.now();
      const due = await parts.table.list(keys.dueApps(), `${new Date(now).toISOString()}~`);
      const failures: unknown[] = [];
      await forEachLimit(due, AT_A_TIME, async (one) => {
        if (parts.clock.now() > now + BEGIN_MS) return;
        await runApp(one, now, parts).catch((error: unknown) => void failures.push(error));
      });
      if (failures.length > 0) throw failures[0];
    },
  };
}

interface Due extends AppRef {
  readonly sk: string;
}

/** The next time is stored first, and then this one taken: of two runs of the watch one begins the commands. */
async function runApp({ sk, user, app: name }: Due, now: number, parts: LambdaPlatformParts): Promise<void> {
  const { table } = parts;
  const app = { user, app: name };
  const { due, cron = [], state } = (await table.read(keys.app(app))) ?? {};
  // Of a release that was replaced, or an application that was removed.
  if (due !== sk) return void (await table.remove(keys.due(sk)));
  const next = await plan(app, nextOf(cron, now), parts);
  const isTaken = await table.write(keys.app(app), { due: next }, { attribute: 'due', is: sk });
  await table.remove(keys.due(sk));
  if (!isTaken || state === 'stopped') return;
  const from = Date.parse(sk.slice(0, sk.indexOf('#'))) - 1;
  for (const [at, entry] of cron.entries()) {
    if ((nextOf([entry], from) ?? Number.POSITIVE_INFINITY) <= now)
      await runEntry({ app, run: cronName(at), entry }, parts);
  }
}

interface EntryRun {
  readonly app: AppRef;
  readonly run: string;
  readonly entry: CronEntry;
}

/** One run of an entry at a time. */
async function runEntry({ app, run, entry }: EntryRun, parts: LambdaPlatformParts): Promise<void> {
  const say = (text: string) => note(functionName(parts.functionPrefix, app), printedBy(run, 'platform', text), parts);
  const { running } = await lastRun(app, run, parts);
  if (running !== null) return say('is due and is skipped, because its last run is still going');
  const begin = () => beginJob(app, { run, command: [entry.command], isLogged: true }, parts);
  await onAws('request:failed', `the start of ${run}`, begin).catch((error: unknown) => {
    if (!(error instanceof DeployError)) throw error;
    return say(`did not run: ${error.detail}`);
  });
}

const Sign = v.object({ began: v.string() });
const End = v.object({ exit: v.number(), at: v.string(), seconds: v.number() });

/** Returns when the run that goes on began, and how the last one ended that is over. */
async function lastRun(
  app: AppRef,
  run: string,
  parts: LambdaPlatformParts,
): Promise<Pick<CronJob, 'running' | 'last'>> {
  const { clock } = parts;
  const report = await findReport(app, run, parts);
  if (!report) return { running: null, last: null };
  const { bytes: to, at } = report;
  const span = { app, run, from: Math.max(0, to - LAST_BYTES), to };
  const told = to === 0 ? '' : (await reportBytes(span, parts)).toString('utf8');
  const line = jsonIn(told.trimEnd().split('\n').at(-1) ?? '');
  if (v.is(End, line)) return { running: null, last: { at: line.at, seconds: line.seconds, exit: line.exit } };
  const isGoing = clock.now() - at < SILENT_MS;
  return { running: isGoing ? (v.is(Sign, line) ? line.began : new Date(at).toISOString()) : null, last: null };
}

/** Returns the list of what cron runs: on AWS Lambda there are no processes. */
export function lambdaCronList(parts: LambdaPlatformParts): AppProcesses['list'] {
  return (app) =>
    onAws('request:failed', `the cron of ${app.app}`, async () => {
      const item = await parts.table.read(keys.app(app));
      if (!item) return null;
      const shown = async ([at, entry]: readonly [number, CronEntry]): Promise<CronJob> => {
        const name = cronName(at);
        const next = item.state === 'stopped' ? undefined : timesOf(entry).nextRun()?.toISOString();
        return { name, ...entry, ...(await lastRun(app, name, parts)), next: next ?? null };
      };
      const cron = await mapLimit([...(item.cron ?? []).entries()], AT_A_TIME, shown);
      return { processes: [], cron: [...cron], scale: {} };
    });
}
