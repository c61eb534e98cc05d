import type { PlatformName } from '../core/apps/settings.ts';
import type { AppFacts, AppSettings, DeployFacts, TrackedApps } from '../core/ports/facts.ts';
import type { DeployLog, LogReader } from '../core/ports/log.ts';
import type { Host, HostToken, OwnHost } from '../core/ports/repository-host.ts';
import type { CiConfig } from '../core/ports/sender.ts';
import type { JobQueue } from '../core/ports/stages.ts';
import type { Clock, Trace } from '../core/ports/system.ts';

export interface CheckPorts {
  readonly log: DeployLog;
  readonly facts: DeployFacts;
  readonly appFacts: Pick<AppFacts, 'active' | 'named' | 'overruledUntil'>;
  readonly tracked: Pick<TrackedApps, 'previews'>;
  readonly settings: Pick<AppSettings, 'read'>;
  readonly platform: PlatformName;
  readonly reader: Pick<LogReader, 'page'>;
  readonly queue: JobQueue;
  readonly clock: Clock;
  /** Returns the configured repository host of that name. */
  readonly host: (name: string) => Host;
  /** The host of this service; absent for none. */
  readonly ownHost?: Pick<OwnHost, 'name'> | undefined;
  readonly token: (user: string, host: string) => Promise<HostToken>;
  readonly ciConfigs: readonly CiConfig[];
  readonly holdMinutes: number;
  /** Days after which a preview that nobody has touched is removed, and a commit of a fork waits no longer. */
  readonly previewDays: number;
  readonly trace: Trace;
}
