import type {
  AppDomains,
  AppEvents,
  Applications,
  AppOutput,
  AppProcesses,
  AppRuns,
  AppVariables,
} from '../../core/ports/applications.ts';
import type { AppHealth, AppOperations, BuildOutput, HostingPlatform } from '../../core/ports/platform.ts';

/**
 * A platform: what deploys and runs applications. A port is loaded when it is asked for, so that
 * a function loads only the adapters that it uses; it reads its settings from the environment then.
 */
export interface Platform {
  hosting(): Promise<HostingPlatform>;
  applications(): Promise<Applications>;
  operations(): Promise<AppOperations>;
  variables(): Promise<AppVariables>;
  processes(): Promise<AppProcesses>;
  runs(): Promise<AppRuns>;
  domains(): Promise<AppDomains>;
  output(): Promise<AppOutput>;
  builds(): Promise<BuildOutput>;
  health(): Promise<AppHealth>;
  events(): Promise<AppEvents>;
}
