import { ciConfigsOf } from '../../../functions/adapters/senders/ci-config/ci-configs.ts';
import { senders } from '../../../functions/adapters/senders/registry.ts';
import { ANY_APP } from '../../../functions/core/host-tokens.ts';
import { hostPauses } from '../../../functions/core/pipeline/host-pauses.ts';
import type { StageJob } from '../../../functions/core/pipeline/job.ts';
import { unlessOverruled } from '../../../functions/core/pipeline/overruled.ts';
import type { StageName } from '../../../functions/core/pipeline/pipeline.ts';
import { runStage } from '../../../functions/core/pipeline/stage.ts';
import type { RunResult } from '../../../functions/core/pipeline/stage-context.ts';
import type { StageWork } from '../../../functions/core/pipeline/stage-work.ts';
import type { AppFacts, AppSettings, DeployFacts, TrackedApps } from '../../../functions/core/ports/facts.ts';
import type { Backlog, DeployLog, LogReader } from '../../../functions/core/ports/log.ts';
import type { TokenStore } from '../../../functions/core/ports/repository-host.ts';
import { report } from '../../../functions/report-status/report.ts';
import { check } from '../../../functions/stage-check/check.ts';
import { extract } from '../../../functions/stage-extract/extract.ts';
import { fetchTarball } from '../../../functions/stage-fetch/fetch.ts';
import { start } from '../../../functions/stage-start/start.ts';
import { upload } from '../../../functions/stage-upload/upload.ts';
import { sweep } from '../../../functions/sweep/sweep.ts';
import { memoryAppOperations, memoryAppVariables } from '../../fakes/applications.ts';
import { memoryClock, memoryIds } from '../../fakes/clock.ts';
import { memoryLog } from '../../fakes/deploy-log.ts';
import { memoryPlatform } from '../../fakes/hosting-platform.ts';
import { memoryQueue } from '../../fakes/job-queue.ts';
import { memoryHost } from '../../fakes/repository-host.ts';
import { memoryTarballs } from '../../fakes/tarball-store.ts';
import { AT, MINUTE, SECOND } from '../entries.ts';

/** The log that a pipeline works on, in all its roles. */
export interface LogRoles {
  readonly log: DeployLog;
  readonly reader: LogReader;
  readonly facts: DeployFacts;
  readonly appFacts: AppFacts;
  readonly backlog: Backlog;
  readonly tracked: TrackedApps;
  readonly settings: AppSettings;
  readonly user: string;
}

/** Returns the log of one machine in memory, in all its roles. */
export function rolesInMemory(log = memoryLog()): LogRoles {
  return {
    log,
    reader: log,
    facts: log,
    appFacts: log,
    tracked: log,
    settings: log.settings,
    backlog: log,
    user: 'ann',
  };
}

/** The whole pipeline on in-memory fakes and the given log, driven message by message. */
export function pipelineWorld(roles: LogRoles) {
  const clock = memoryClock(AT);
  const ids = memoryIds();
  const queue = memoryQueue();
  const host = memoryHost();
  const tarballs = memoryTarballs();
  const platform = memoryPlatform({ slowPolls: () => 2 });
  const started: string[] = [];
  const begin = platform.start.bind(platform);
  platform.start = async (snapshot) => {
    const answer = await begin(snapshot);
    started.push(snapshot.snapshot);
    return answer;
  };
  const hosts = { host: () => host, token: async () => null };
  const { log, reader, facts, appFacts, backlog, tracked, settings } = roles;
  const variables = memoryAppVariables(platform);
  const unlessPaused = hostPauses(clock);
  const work: Readonly<Record<StageName, StageWork>> = {
    check: unlessPaused(
      check({
        ...hosts,
        ...{ log, reader, facts, appFacts, tracked, settings },
        platform: 'embedded',
        queue,
        clock,
        ciConfigs: ciConfigsOf(senders),
        holdMinutes: 60,
        previewDays: 14,
        trace: () => {},
      }),
    ),
    fetch: unlessPaused(fetchTarball({ ...hosts, tarballs })),
    upload: unlessOverruled(upload({ platform, tarballs, variables }), roles),
    extract: unlessOverruled(extract({ platform, clock }), roles),
    start: unlessOverruled(
      start({
        platform,
        operations: memoryAppOperations(platform),
        facts,
        settings,
        log,
        queue,
        clock,
        trace: () => {},
      }),
      roles,
    ),
  };
  host.addToken('ann', 'token');
  const stored = { host: 'memory', app: ANY_APP, login: 'ann', scopes: [], expiresAt: null, sealed: 'token' };
  const tokens: TokenStore = {
    get: async () => stored,
    list: async () => [stored],
    put: async () => {},
    remove: async () => false,
  };
  const sealer = { seal: async (secret: string) => secret, open: async (sealed: string) => sealed };
  const reporting = { log, facts, appFacts, backlog, platform, tarballs, tokens, sealer, clock, host: () => host };
  const base = { log, queue, clock, ids, retryBaseSeconds: 30, trace: () => {} };

  const receive = ({ user, number, stage }: StageJob): Promise<RunResult> =>
    runStage({ user, number }, { ...base, stage, work: work[stage] });

  async function deliver(job: StageJob): Promise<boolean> {
    const verdict = await receive(job);
    if (!verdict.done) clock.pass(verdict.visibleInSeconds * SECOND);
    return verdict.done;
  }

  /** A worker claims the stage and dies; its lease expires later. */
  async function die({ user, number, stage }: StageJob): Promise<void> {
    const leaseUntil = clock.now() + MINUTE;
    await log.claim({ user, number, stage, now: clock.now(), leaseUntil, dueAt: leaseUntil + MINUTE });
  }

  /** The queues fail while a message is processed, which is then received again. */
  async function deliverInVain(job: StageJob): Promise<void> {
    const { send } = queue;
    queue.send = async () => {
      throw new Error('The queue is away.');
    };
    await deliver(job).catch(() => {});
    queue.send = send;
  }

  return {
    ...roles,
    die,
    deliverInVain,
    clock,
    queue,
    host,
    tarballs,
    platform,
    variables,
    /** The snapshots that were started, in order. */
    started,
    /** The ports of a comparison. */
    comparing: { ...hosts, log, reader, facts, appFacts, queue, previewDays: 14, trace: () => {} },
    /** Receives a message, and lets no time pass. */
    receive,
    /** Receives a message; false when it is to be received again. */
    deliver,
    /** Receives all messages in order, each until it is processed. */
    async drain(): Promise<void> {
      for (let job = queue.sent.shift(); job; job = queue.sent.shift()) while (!(await deliver(job)));
    },
    /** Receives all messages of commit statuses. */
    async report(): Promise<void> {
      for (const job of queue.reports.splice(0)) await report(job, reporting);
    },
    sweep: (everything = false) =>
      sweep({ log, facts, backlog, queue, clock, holdMinutes: 60, trace: () => {} }, everything),
    /** Lets time pass, runs the sweep and receives all messages, until nothing is left to do. */
    async settle(): Promise<void> {
      for (let round = 0; round < 40 && (await backlog.due(Number.MAX_SAFE_INTEGER, 1)).length > 0; round += 1) {
        await this.drain();
        await this.report();
        clock.pass(10 * MINUTE);
        await this.sweep();
      }
    },
  };
}
