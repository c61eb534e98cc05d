import type { RecordPorts } from '../api/entry-answer.ts';
import type { AppPorts } from '../core/apps/history.ts';
import type { PlatformName } from '../core/apps/settings.ts';
import type { AppPasswords } from '../core/ports/applications.ts';
import type { AppFacts, AppSettings, DeployFacts, TrackedApps } from '../core/ports/facts.ts';
import type { Host, HostToken, OwnHost } from '../core/ports/repository-host.ts';

export interface SourcePorts extends AppPorts, RecordPorts {
  readonly appFacts: Pick<AppFacts, 'named' | 'overruledUntil'>;
  readonly facts: Pick<DeployFacts, 'appOwner' | 'followBranch' | 'transferApp' | 'branch' | 'commitState' | 'commits'>;
  readonly tracked: Pick<TrackedApps, 'tracked' | 'compared'>;
  readonly settings: Pick<AppSettings, 'read' | 'change'>;
  /** Absent where an application cannot have one. */
  readonly passwords?: AppPasswords | undefined;
  readonly platform: PlatformName;
  readonly host: (name: string) => Pick<Host, 'tip' | 'repository' | 'compare' | 'pullRequestState'>;
  /** The host of this service; absent for none. */
  readonly ownHost?: OwnHost | undefined;
  readonly token: (user: string, host: string) => Promise<HostToken>;
}
