import { DeployError } from '../../../core/errors.ts';
import type { AppOperations, AppRef } from '../../../core/ports/platform.ts';
import { readUrl } from './answers.ts';
import { type PlatformCall, type PlatformCallOptions, platformCall } from './call.ts';

/** Timeouts of calls; defaults 90 seconds for a restart, which waits for the application, and 60 for the others. */
interface OperationTimeouts {
  readonly restartMs: number;
  readonly endMs: number;
}

const DEFAULT_TIMEOUTS: OperationTimeouts = { restartMs: 90_000, endMs: 60_000 };

/** Returns the operations on applications behind the platform API, called in the service's own name. */
export function httpAppOperations(
  options: PlatformCallOptions & { readonly timeouts?: Partial<OperationTimeouts> },
): AppOperations {
  const { restartMs, endMs } = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const call = platformCall(options);
  return {
    restart: (app) => restart(call, app, restartMs),
    stop: async (app) => {
      await call({ ...to(app, 'stop'), method: 'POST', timeoutMs: endMs, what: `the stop of ${app.app}` });
    },
    remove: async (app) => {
      const what = `the removal of ${app.app}`;
      await call({ ...to(app), method: 'DELETE', timeoutMs: endMs, what, accept: [404] });
    },
  };
}

async function restart(call: PlatformCall, app: AppRef, timeoutMs: number): Promise<{ url: string }> {
  const what = `the restart of ${app.app}`;
  const { body } = await call({ ...to(app, 'restart'), method: 'POST', timeoutMs, what, failsWith: 500 });
  const url = readUrl(body);
  if (url !== null) return { url };
  throw new DeployError('deploy:platform:start_app', `The platform confirmed ${what} without an address.`);
}

function to({ user, app }: AppRef, ...more: readonly string[]) {
  return { user, path: ['apps', user, app, ...more], code: 'deploy:platform:start_app' } as const;
}
