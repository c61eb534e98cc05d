import { DeployError } from '../../../core/errors.ts';
import type { AppOperations, AppRef } from '../../../core/ports/platform.ts';
import { readUrl } from './answers.ts';
import { type PlatformCallOptions, platformCall } from './call.ts';

/** Timeouts of calls; defaults 90 seconds for a restart, which waits for the application, and 60 for the others. */
interface OperationTimeouts {
  readonly restartMs: number;
  readonly endMs: number;
}

const DEFAULT_TIMEOUTS: OperationTimeouts = { restartMs: 90_000, endMs: 60_000 };

export function httpAppOperations(
  options: PlatformCallOptions & { readonly timeouts?: Partial<OperationTimeouts> },
): AppOperations {
  const { restartMs, endMs } = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const call = platformCall(options);
  return {
    restart: async (app) => {
      const what = `the restart of ${app.app}`;
      const to = { ...pathOf(app, 'restart'), timeoutMs: restartMs, what, failsWith: 500 };
      const url = readUrl((await call({ ...to, method: 'POST' })).body);
      if (url !== null) return { url };
      throw new DeployError('deploy:platform:start_app', `The platform confirmed ${what} without an address.`);
    },
    stop: async (app) => {
      await call({ ...pathOf(app, 'stop'), method: 'POST', timeoutMs: endMs, what: `the stop of ${app.app}` });
    },
    remove: async (app) => {
      const what = `the removal of ${app.app}`;
      await call({ ...pathOf(app), method: 'DELETE', timeoutMs: endMs, what, accept: [404] });
    },
  };
}

function pathOf({ user, app }: AppRef, ...more: readonly string[]) {
  return { user, path: ['apps', user, app, ...more], code: 'deploy:platform:start_app' } as const;
}
