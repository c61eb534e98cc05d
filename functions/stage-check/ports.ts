import type { DeployFacts } from '../core/ports/facts.ts';
import type { DeployLog } from '../core/ports/log.ts';
import type { HostToken, RepositoryHost } from '../core/ports/repository-host.ts';
import type { CiConfig } from '../core/ports/sender.ts';
import type { JobQueue } from '../core/ports/stages.ts';
import type { Clock, Trace } from '../core/ports/system.ts';

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
