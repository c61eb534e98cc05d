import { GetObjectCommand } from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { type CronEntry, jobSubject, timesOf } from '../../../../../lib/builder/start/cron.ts';
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
import { type DueItem, keys, pathOf } from '../table/items.ts';
import type { Stored } from '../table/table.ts';
import { type Ending, endIncidents, tellOfEnd } from './cron-incidents.ts';
import { beginJob, ensureJobFunction, findReport, KILLED, reportBytes, SILENT, UNBEGUN } from './job-function.ts';

/** Applications whose cron is due, at a time; and objects of one application. */
const AT_A_TIME = 20;
/** A run of the watch begins no application after that time, so that none is taken and not begun; the next run does. */
const BEGIN_MS = 40_000;
/** A run tells every five seconds that it goes on, and first when Lambda has begun it. */
const SILENT_MS = 90_000;
/** Of an end with its last lines. */
const LAST_BYTES = 32 * 1024;
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
  const subjects = new Set(cron.map(jobSubject));
  const gone = (app?.cron ?? []).filter((entry) => !subjects.has(jobSubject(entry)));
  await endIncidents(release, gone, parts);
  const due = await plan(release, nextOf(cron, clock.now()), parts);
  await table.write(keys.app(release), { cron: cron.length > 0 ? cron : null, due }, { exists: true });
  // What was told meanwhile; before, so that a start that is interrupted here ends them when it is made again.
  await endIncidents(release, gone, parts);
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
        const work = one.run === undefined ? runApp(one, now, parts) : look(one, one.run, parts);
        await work.catch((error: unknown) => void failures.push(error));
      });
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Looks whether a run of an entry has ended. */
async function look(
  { user, app: name, about, began }: DueItem,
  run: string,
  parts: LambdaPlatformParts,
): Promise<boolean> {
  const { table } = parts;
  const app = { user, app: name };
  const { running, ending } = await lastRun(app, run, parts);
  if (running !== null) return false;
  const { cron = [] } = (await table.read(keys.app(app))) ?? {};
  const entry = cron.find((one) => jobSubject(one) === about);
  if (entry && ending) await tellOfEnd(app, entry, ending, parts);
  // Unless it has begun again meanwhile.
  return table.remove(keys.going(app, run), { attribute: 'began', is: began ?? null });
}

/** The next time is stored first, and then this one taken: of two runs of the watch one begins the commands. */
async function runApp(
  { sk, user, app: name }: Stored<DueItem>,
  now: number,
  parts: LambdaPlatformParts,
): Promise<void> {
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
  const { table, clock } = parts;
  const { running } = await lastRun(app, run, parts);
  if (running !== null) return say('is due and is skipped, because its last run is still going');
  const going = await table.read(keys.going(app, run));
  // It has ended since this run of the watch has looked, and its report is about to be overwritten.
  if (going) await look(going, run, parts);
  const began = new Date(clock.now()).toISOString();
  const begin = () => beginJob(app, { run, command: [entry.command], isLogged: true }, parts);
  try {
    await onAws('request:failed', `the start of ${run}`, begin);
    await table.write(keys.going(app, run), { ...app, run, about: jobSubject(entry), began });
  } catch (error) {
    if (!(error instanceof DeployError)) throw error;
    const detail = `did not run: ${error.detail}`;
    await say(detail);
    await tellOfEnd(app, entry, { exit: KILLED, detail, lines: [] }, parts);
  }
}

const Sign = v.object({ began: v.string() });
const End = v.object({
  exit: v.number(),
  at: v.string(),
  seconds: v.number(),
  reason: v.nullish(v.string()),
  lines: v.optional(v.array(v.string()), []),
});

/** When the run that goes on began, or how the last one has ended. */
interface LastRun extends Pick<CronJob, 'running' | 'last'> {
  readonly ending: Ending | null;
}

async function lastRun(app: AppRef, run: string, parts: LambdaPlatformParts): Promise<LastRun> {
  const { clock } = parts;
  const report = await findReport(app, run, parts);
  if (!report) return { running: null, last: null, ending: null };
  const { bytes: to, at } = report;
  const span = { app, run, from: Math.max(0, to - LAST_BYTES), to };
  const told = to === 0 ? '' : (await reportBytes(span, parts)).toString('utf8');
  const line = jsonIn(told.trimEnd().split('\n').at(-1) ?? '');
  const end = v.safeParse(End, line);
  if (end.success) {
    const { exit, reason, lines, ...last } = end.output;
    const ending = { exit, detail: reason ?? `exited with code ${exit}`, lines };
    return { running: null, last: { at: last.at, seconds: last.seconds, exit }, ending };
  }
  if (clock.now() - at < SILENT_MS) {
    const began = v.is(Sign, line) ? line.began : new Date(at).toISOString();
    return { running: began, last: null, ending: null };
  }
  const detail = to === 0 ? UNBEGUN : SILENT;
  return { running: null, last: null, ending: { exit: KILLED, detail, lines: [] } };
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
        const { running, last } = await lastRun(app, name, parts);
        return { name, ...entry, running, last, next: next ?? null };
      };
      const cron = await mapLimit([...(item.cron ?? []).entries()], AT_A_TIME, shown);
      return { processes: [], cron: [...cron], scale: {} };
    });
}
