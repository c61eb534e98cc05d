import type { AppDomains, Applications, AppProcesses, AppRuns, AppVariables } from '../core/ports/applications.ts';
import type { AppFacts, DeployFacts, TrackedApps } from '../core/ports/facts.ts';
import type { StreamLeases } from '../core/ports/limits.ts';
import type { DeployLog, LogReader } from '../core/ports/log.ts';
import type { HostToken, OwnHost, RepositoryHost } from '../core/ports/repository-host.ts';
import type { JobQueue } from '../core/ports/stages.ts';
import type { Clock, Trace } from '../core/ports/system.ts';

export interface AppsPorts {
  readonly applications: Applications;
  readonly variables: AppVariables;
  readonly processes: AppProcesses;
  readonly runs: Pick<AppRuns, 'start' | 'write'>;
  readonly domains: AppDomains;
  readonly facts: Pick<AppFacts, 'apps' | 'overruledUntil'>;
  readonly owners: Pick<
    DeployFacts,
    'appOwner' | 'followBranch' | 'transferApp' | 'branch' | 'commitState' | 'commits'
  >;
  readonly tracked: Pick<TrackedApps, 'tracked' | 'compared'>;
  readonly reader: Pick<LogReader, 'read' | 'page'>;
  readonly log: Pick<DeployLog, 'append' | 'read'>;
  readonly queue: Pick<JobQueue, 'send'>;
  readonly leases: StreamLeases;
  readonly host: (name: string) => Pick<RepositoryHost, 'tip' | 'compare' | 'pullRequestState'>;
  /** The host of this service; absent for none. */
  readonly ownHost?: OwnHost | undefined;
  readonly token: (user: string, host: string) => Promise<HostToken>;
  readonly clock: Clock;
  readonly trace: Trace;
}
