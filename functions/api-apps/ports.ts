import type { AppFacts } from '../core/ports/apps/app-facts.ts';
import type { AppVariables } from '../core/ports/apps/app-variables.ts';
import type { Applications } from '../core/ports/apps/applications.ts';
import type { TrackedApps } from '../core/ports/apps/tracked-apps.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { DeployFacts } from '../core/ports/deploy-facts.ts';
import type { DeployLog } from '../core/ports/deploy-log.ts';
import type { JobQueue } from '../core/ports/job-queue.ts';
import type { LogReader } from '../core/ports/log-reader.ts';
import type { HostToken, RepositoryHost } from '../core/ports/repository-host.ts';
import type { Trace } from '../core/ports/trace.ts';

/** The ports of the endpoints of applications. */
export interface AppsPorts {
  readonly applications: Applications;
  readonly variables: AppVariables;
  readonly facts: Pick<AppFacts, 'apps' | 'overruledUntil'>;
  readonly owners: Pick<DeployFacts, 'appOwner' | 'branch' | 'commitState'>;
  readonly tracked: Pick<TrackedApps, 'tracked' | 'compared'>;
  readonly reader: Pick<LogReader, 'read' | 'page'>;
  readonly log: Pick<DeployLog, 'append' | 'read'>;
  readonly queue: Pick<JobQueue, 'send'>;
  /** Returns the configured repository host of that name. */
  readonly host: (name: string) => Pick<RepositoryHost, 'tip'>;
  readonly token: (user: string, host: string) => Promise<HostToken>;
  readonly clock: Clock;
  readonly trace: Trace;
}
