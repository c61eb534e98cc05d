import { ciConfigsOf, configFiles } from '../../functions/adapters/senders/ci-config/ci-configs.ts';
import { limitedWork } from '../../functions/adapters/system/limited-work.ts';
import { hostPauses } from '../../functions/core/pipeline/host-pauses.ts';
import type { StageJob } from '../../functions/core/pipeline/job.ts';
import { type StageName, SWEEP_AFTER_MS } from '../../functions/core/pipeline/pipeline.ts';
import { runStage } from '../../functions/core/pipeline/stage.ts';
import type { RunResult, StageContext } from '../../functions/core/pipeline/stage-context.ts';
import type { StageWork } from '../../functions/core/pipeline/stage-work.ts';
import type { JobQueue } from '../../functions/core/ports/stages.ts';
import { check } from '../../functions/stage-check/check.ts';
import { extract } from '../../functions/stage-extract/extract.ts';
import { fetchTarball } from '../../functions/stage-fetch/fetch.ts';
import { start } from '../../functions/stage-start/start.ts';
import { upload } from '../../functions/stage-upload/upload.ts';
import type { EnginePorts } from './ports.ts';
import type { EngineSettings } from './settings.ts';

/** The stages that change the platform, which an operation on the application overrules. */
const OVERRULED: readonly StageName[] = ['upload', 'extract', 'start'];

/** Returns what runs the stage of a job. `queue` takes what follows. */
export function stageRunner(
  ports: EnginePorts,
  settings: EngineSettings,
  queue: JobQueue,
): (job: StageJob, hasThrown: boolean) => Promise<RunResult> {
  const { clock, ids, trace, stores } = ports;
  const { appFacts, stageLog: log } = stores;
  const works = worksOf(ports, settings, queue);
  const contextOf = (stage: StageName): StageContext => ({
    stage,
    work: limitedWork(works[stage], { stage, log, ...(OVERRULED.includes(stage) && { appFacts }) }),
    log,
    queue,
    clock,
    ids,
    retryBaseSeconds: settings.retryBaseSeconds,
    trace,
  });
  return async (job, hasThrown) => {
    // Nobody has its lease any more, which would keep it for minutes.
    if (hasThrown) await stores.backlog.release(job, clock.now() + SWEEP_AFTER_MS);
    return runStage(job, contextOf(job.stage));
  };
}

function worksOf(ports: EnginePorts, settings: EngineSettings, queue: JobQueue): Record<StageName, StageWork> {
  const { clock, trace, stores, token, tarballs, platform, operations } = ports;
  const { log, facts, appFacts, reader, trackedApps: tracked, appSettings } = stores;
  const host = ports.hosts.named;
  const ciConfigs = ciConfigsOf(configFiles);
  const { holdMinutes, previewDays, ownHost } = settings;
  const unlessPaused = hostPauses(clock);
  const facing = { log, facts, appFacts, reader, tracked, queue, clock };
  return {
    check: unlessPaused(
      check({
        ...facing,
        settings: appSettings,
        platform: 'embedded',
        host,
        ownHost,
        token,
        ciConfigs,
        holdMinutes,
        previewDays,
        trace,
      }),
    ),
    fetch: unlessPaused(fetchTarball({ host, token, tarballs })),
    upload: upload({ platform, tarballs, variables: ports.variables }),
    extract: extract({ platform, clock }),
    start: start({ log, facts, settings: appSettings, queue, clock, platform, operations, trace }),
  };
}
