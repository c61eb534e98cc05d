import type { PlatformPorts } from '../../functions/core/ports/applications.ts';
import {
  memoryAppDomains,
  memoryApplications,
  memoryAppOperations,
  memoryAppOutput,
  memoryAppProcesses,
  memoryAppRuns,
  memoryAppVariables,
} from './applications.ts';
import type { MemoryPlatform } from './hosting-platform.ts';

/** Returns all ports of a platform in memory, which keeps no output of builds and tells of no events. */
export function memoryPorts(platform: MemoryPlatform): PlatformPorts {
  return {
    hosting: platform,
    applications: memoryApplications(platform),
    operations: memoryAppOperations(platform),
    variables: memoryAppVariables(platform),
    processes: memoryAppProcesses(platform),
    runs: memoryAppRuns(platform),
    domains: memoryAppDomains(platform),
    output: memoryAppOutput(platform),
    builds: { read: async () => null },
    events: { after: async (seq) => ({ events: [], last: seq }) },
  };
}
