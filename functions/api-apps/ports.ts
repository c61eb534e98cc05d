import type { Machine } from '../api/shapes/applications.ts';
import type { AppPorts } from '../core/apps/history.ts';
import type { AppDomains, AppProcesses, AppRuns } from '../core/ports/applications.ts';

export interface AppsPorts extends AppPorts {
  readonly processes: AppProcesses;
  readonly runs: Pick<AppRuns, 'start' | 'write'>;
  readonly domains: AppDomains;
  /** Absent where there is none of their own. */
  readonly machine?: () => Promise<Machine>;
}
