import { variable } from '../../aws/environment.ts';
import type { Platform } from '../platform.ts';

/** Returns a platform with the platform API, at `PLATFORM_URL`. A new service token is read when the old one is refused. */
export function platformApi(): Platform {
  return {
    hosting: async () => (await import('./hosting.ts')).httpPlatform(await access()),
    applications: async () => (await import('./applications.ts')).httpApplications(await access()),
    operations: async () => (await import('./hosting.ts')).httpAppOperations(await access()),
    variables: async () => (await import('./applications.ts')).httpAppVariables(await access()),
    processes: async () => (await import('./applications.ts')).httpAppProcesses(await access()),
    domains: async () => (await import('./applications.ts')).httpAppDomains(await access()),
    runs: async () => (await import('./applications.ts')).httpAppRuns(await access()),
    output: async () => (await import('./output.ts')).httpAppOutput(await access()),
    builds: async () => (await import('./output.ts')).httpBuildOutput(await access()),
    // It tells of crashes by its events, and need not be asked.
    health: async () => ({ ended: async () => {}, recheck: async () => {} }),
    events: async () => (await import('./applications.ts')).httpAppEvents(await access()),
  };
}

async function access() {
  const readToken = tokenReader();
  return { url: url(), serviceToken: await readToken(), renewToken: readToken };
}

function url(): string {
  return variable('PLATFORM_URL');
}

function tokenReader(): () => Promise<string> {
  const secret = variable('PLATFORM_SECRET');
  return async () => (await import('../../aws/secrets.ts')).requiredSecret(secret);
}
