import type { SentEntry } from '../../functions/api/shapes/entry.ts';
import { row } from '../../functions/api/views.ts';
import { acceptOwnPush, deployedBy, missedAfter } from '../../functions/api-deploy/own-push.ts';
import { authorizer, Revocations } from '../../functions/authorize/authorize.ts';
import type { DefaultTip, MovedRef } from '../../functions/core/payload/moved-ref.ts';
import { jobOf } from '../../functions/core/pipeline/job.ts';
import { SWEEP_AFTER_MS } from '../../functions/core/pipeline/pipeline.ts';
import type { VerifyLogin } from '../../functions/core/ports/accounts.ts';
import type { Incident } from '../../functions/core/ports/app-event.ts';
import type { AppRef } from '../../functions/core/ports/platform.ts';
import type { JobQueue } from '../../functions/core/ports/stages.ts';
import { reconcile } from '../../functions/reconcile/reconcile.ts';
import { previewWatch, WATCH_SECONDS } from '../../functions/reconcile/watch.ts';
import { report } from '../../functions/report-status/report.ts';
import { sweep } from '../../functions/sweep/sweep.ts';
import { applyIncident } from '../../functions/watch-apps/incident.ts';
import { watchApps } from '../../functions/watch-apps/watch.ts';
import { type Alarm, alarm } from './alarm.ts';
import { buildQueue } from './build-queue.ts';
import { dispatcher } from './dispatcher.ts';
import { deliveryPorts, endpoints } from './endpoints.ts';
import type { EngineHttpOptions } from './http/server.ts';
import { type EnginePorts, enginePorts } from './ports.ts';
import { type OwnRead, readOwn } from './read.ts';
import { reports } from './reports.ts';
import type { EngineSettings } from './settings.ts';
import { stageRunner } from './stages.ts';
import type { EngineUsers } from './users.ts';

type Served = 'endpoints' | 'authorize' | 'accounts' | 'signals' | 'log' | 'clock' | 'trace';

/** The service on one machine: what its HTTP server calls, and the deploys that it makes. */
export interface Engine extends Pick<EngineHttpOptions, Served> {
  /** Returns the newest entries of a user as the API's rows with their documents, oldest first. */
  newest(user: string, limit: number, base: string): Promise<readonly SentEntry[]>;
  /**
   * Stores a push to the repository host of this process; `base` is the address of the service in its entry. Returns its
   * row, with the document. See `acceptOwnPush`.
   */
  push(push: MovedRef, to: { readonly user: string; readonly base: string }): Promise<SentEntry>;
  missedAfter(tip: DefaultTip, user: string): Promise<{ readonly before: string | null } | null>;
  deployedBy(
    repository: Omit<DefaultTip, 'sha'>,
    of: { readonly user: string; readonly branch: string },
  ): ReturnType<typeof deployedBy>;
  read(asked: OwnRead): ReturnType<typeof readOwn>;
  readonly verify: VerifyLogin;
  /**
   * Goes on with the deploys that an earlier process left, looks for missed pushes with `first`, and then compares all
   * applications with their branches.
   */
  resume(first?: () => Promise<void>): Promise<void>;
  readonly users: EngineUsers;
  readonly applications: Pick<EnginePorts['applications'], 'list'>;
  /** Makes each login be checked again, because users are about to change. */
  forgetLogins(): void;
  /** Looks after what is due. It also happens on a timer; tests do not wait for that. */
  sweep(): Promise<void>;
  /** Reads what the platform says about its applications: one crashes, or answers again. */
  watchApps(): Promise<void>;
  /** Begins nothing any more, and ends the log. Deploys under way go on at the next start. */
  close(): Promise<void>;
}

const NEVER = Number.POSITIVE_INFINITY;
/** A deploy whose application crashes as it ends has ended by then. */
const APPLIED_WITHIN_MS = 5_000;

/** Opens the service on its data folder. */
export function openEngine(settings: EngineSettings): Engine {
  const ports = enginePorts(settings);
  const { stores, clock, trace, signals } = ports;
  const statuses = reports({ report: (job) => report(job, reportPorts(ports)), trace });
  const queue: JobQueue = { send: (job) => jobs.send(job), report: statuses.report };
  const jobs = dispatcher({
    run: stageRunner(ports, settings, queue),
    reports: statuses,
    onBuildsWaiting: buildQueue({ log: stores.stageLog, clock, trace }),
    trace,
  });
  const schedule = schedules(ports, settings, queue);
  const revocations = new Revocations(clock);
  const pushPorts = () => ({
    ...deliveryPorts(ports, queue),
    applications: stores.repositoryApps,
    reader: stores.reader,
    settings: stores.appSettings,
    own: ownHostOf(settings),
  });
  const served = endpoints(ports, settings, queue);
  return {
    endpoints: served,
    read: (asked) => readOwn(served, asked),
    authorize: authorizer(
      {
        accounts: ports.accounts,
        failures: ports.failures,
        refused: ports.refused,
        clock,
        trace,
      },
      revocations,
    ),
    forgetLogins: () => revocations.beginAll(),
    accounts: ports.accounts,
    users: settings.users,
    applications: ports.applications,
    signals,
    clock,
    log: stores.reader,
    trace,
    newest: async (user, limit, base) => {
      const { entries } = await stores.reader.page({ user, app: null, skip: 0, limit });
      return entries.map((entry) => row(entry, { base, docs: 'true' })).reverse();
    },
    push: async (push, { user, base }) => {
      const received = { user, base, uuid: ports.ids.uuid(), delivery: ports.ids.uuid(), at: clock.now() };
      return row(await acceptOwnPush(push, received, pushPorts()), { base, docs: 'true' });
    },
    missedAfter: (tip, user) => missedAfter(tip, user, pushPorts()),
    deployedBy: (repository, of) => deployedBy(repository, of, pushPorts()),
    verify: ports.verify,
    resume: async (first) => {
      await resume(ports, queue);
      await first?.();
      schedule.begin();
    },
    sweep: schedule.sweep,
    watchApps: schedule.watchApps,
    close: async () => {
      jobs.stop();
      statuses.stop();
      schedule.stop();
      await stores.endLog();
    },
  };
}

/** Returns how the pushes of the repository host of this process are recorded. */
function ownHostOf({ repositoryHosts, ownHost }: EngineSettings): { readonly name: string; readonly web: string } {
  const host = repositoryHosts.find(({ name }) => name === ownHost?.name);
  if (!host) throw new Error('This process has no repository host.');
  return host;
}

/** No worker has these entries any more: their stages begin anew, in the order of the entries. */
async function resume({ stores, clock }: EnginePorts, queue: JobQueue): Promise<void> {
  for (const job of stores.unfinished()) {
    await stores.backlog.release(job, clock.now() + SWEEP_AFTER_MS);
    const entry = await stores.log.read(job.user, job.number);
    if (entry) await queue.send(jobOf(entry));
  }
}

function reportPorts({ stores, sealer, tarballs, platform, hostsOfRequests, clock }: EnginePorts) {
  const { reader: log, facts, backlog, tokens } = stores;
  return { log, facts, backlog, platform, tarballs, tokens, sealer, clock, host: hostsOfRequests.named };
}

/** Work that is done when it is due, not on request. */
interface Schedules {
  begin(): void;
  sweep(): Promise<void>;
  watchApps(): Promise<void>;
  stop(): void;
}

function schedules(ports: EnginePorts, settings: EngineSettings, queue: JobQueue): Schedules {
  const { stores, clock, ids, trace, token, hosts, events } = ports;
  const { log, facts, appFacts, backlog, reader, cursor, trackedApps } = stores;
  // The stores are closed after a stop: work in progress that ends later must not read them.
  let stopped = false;
  const said = (event: string) => (error: unknown) => trace(event, { error });
  const look = async () => {
    await sweep({ log, facts, backlog, queue, clock, holdMinutes: settings.holdMinutes, trace }).catch(
      said('sweep failed'),
    );
    // An application may have been deployed for the first time since.
    alarms.compare.at(nextCompare());
    return stopped ? null : stores.nextDue();
  };
  const ofUsers = async <T extends AppRef>(apps: readonly T[]) => {
    const names = await settings.users.names();
    return apps.filter(({ user }) => names.includes(user));
  };
  const comparing = {
    // What users who were removed have left is compared with nothing.
    apps: {
      ...trackedApps,
      tracked: async (app: AppRef) => ((await ofUsers([app])).length > 0 ? trackedApps.tracked(app) : null),
      allPreviews: async (limit: number) => ofUsers(await trackedApps.allPreviews(limit)),
    },
    log,
    reader,
    facts,
    appFacts,
    queue,
    clock,
    ids,
    trace,
    token,
    host: hosts.named,
    minutes: settings.reconcileMinutes,
    previewDays: settings.previewDays,
    watchSeconds: settings.watchSeconds,
  };
  const compare = async (everything: boolean) => {
    await reconcile(comparing, everything).catch(said('not compared'));
    return nextCompare();
  };
  const nextCompare = () => (stopped || settings.reconcileMinutes === 0 ? null : stores.nextCompare()) ?? NEVER;
  const watchPreviews = previewWatch(comparing);
  const watchMs = (settings.watchSeconds ?? WATCH_SECONDS) * 1000;
  const previews = async () => {
    if (stopped) return null;
    return watchPreviews().catch((error: unknown) => {
      said('pull requests not compared')(error);
      return clock.now() + watchMs;
    });
  };
  // The platform's events say which of its applications crash.
  const health = { ended: async () => {}, recheck: async () => {} };
  const cron = { runDue: async () => {} };
  const watch = async () => {
    const incident = (one: Incident) => applyIncident(one, { log, appFacts, clock, ids });
    const parts = { log, appFacts, health, cron, events, cursor, queue, clock, trace, incident };
    await watchApps(parts).catch(said('applications not watched'));
    return null;
  };
  const alarms: Record<'sweep' | 'compare' | 'previews' | 'watch', Alarm> = {
    sweep: alarm(look, clock.now, said('sweep failed')),
    compare: alarm(() => compare(false), clock.now, said('compare failed')),
    previews: alarm(previews, clock.now, said('previews failed')),
    watch: alarm(watch, clock.now, said('watch failed')),
  };
  return {
    begin: () => {
      // An entry that is due earlier than all others is due after this time at the earliest.
      stores.onCommit(() => {
        alarms.sweep.at(clock.now() + SWEEP_AFTER_MS);
        // A pull request may have been previewed for the first time.
        alarms.previews.at(clock.now() + watchMs);
      });
      alarms.sweep.at(stores.nextDue() ?? NEVER);
      void compare(true).then(alarms.compare.at);
      alarms.previews.at(clock.now());
      alarms.watch.at(clock.now());
    },
    sweep: async () => {
      await look();
    },
    watchApps: async () => {
      await watch();
      // An event of a deploy that was about to end could not be applied yet.
      alarms.watch.at(clock.now() + APPLIED_WITHIN_MS);
    },
    stop: () => {
      stopped = true;
      for (const one of Object.values(alarms)) one.stop();
    },
  };
}
