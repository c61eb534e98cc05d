import { DeployError } from '../../../../core/errors.ts';
import type { AppProcesses, AppRuns } from '../../../../core/ports/applications.ts';

/** Returns what refuses: an application is a function, which runs only while it is called. */
export function lambdaAppProcesses(): AppProcesses {
  return { list: async () => refuse(), scale: async () => refuse() };
}

/** Returns what refuses one-off commands, for the same reason. */
export function lambdaAppRuns(): AppRuns {
  return { start: async () => refuse(), read: async () => refuse(), write: async () => refuse() };
}

function refuse(): never {
  const detail =
    'On AWS Lambda an application has no processes: it runs only while it is called, as with web=auto. Processes, one-off commands and cron need the service on one machine.';
  throw new DeployError('request:not_supported', detail);
}
