import * as apps from '../../../functions/adapters/platform/http/applications.ts';
import { httpAppOperations, httpPlatform } from '../../../functions/adapters/platform/http/hosting.ts';
import { httpAppOutput, httpBuildOutput } from '../../../functions/adapters/platform/http/output.ts';
import type { PlatformPorts } from '../../../functions/core/ports/platform.ts';
import { localFetch } from '../../../lib/http/local-fetch.ts';

/** The ports of a platform with an HTTP API. */
export function portsOverHttp(url: string, serviceToken: string): PlatformPorts {
  const at = { url, serviceToken, fetch: localFetch };
  return {
    hosting: httpPlatform(at),
    applications: apps.httpApplications(at),
    operations: httpAppOperations(at),
    variables: apps.httpAppVariables(at),
    processes: apps.httpAppProcesses(at),
    runs: apps.httpAppRuns(at),
    domains: apps.httpAppDomains(at),
    output: httpAppOutput(at),
    builds: httpBuildOutput(at),
    events: apps.httpAppEvents(at),
  };
}
