import type { CiConfig } from '../core/ports/ci-config.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { DeployFacts } from '../core/ports/deploy-facts.ts';
import type { DeployLog } from '../core/ports/deploy-log.ts';
import type { JobQueue } from '../core/ports/job-queue.ts';
import type { HostToken, RepositoryHost } from '../core/ports/repository-host.ts';
import type { Trace } from '../core/ports/trace.ts';

/** The ports of the stage `check`. */
export interface CheckPorts {
  readonly log: DeployLog;
  readonly facts: DeployFacts;
  readonly queue: JobQueue;
  readonly clock: Clock;
  /** Returns the configured repository host of that name. */
  readonly host: (name: string) => RepositoryHost;
  readonly token: (user: string, host: string) => Promise<HostToken>;
  readonly ciConfigs: readonly CiConfig[];
  readonly holdMinutes: number;
  readonly trace: Trace;
}
