import { DeployError } from '../../../core/errors.ts';
import type { AppOperations } from '../../../core/ports/platform.ts';
import { readUrl } from './answers.ts';
import { appPath, type PlatformCallOptions, platformCall } from './call.ts';

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
  const code = 'deploy:platform:start_app';
  return {
    restart: async (app) => {
      const what = `the restart of ${app.app}`;
      const to = { ...appPath(app, 'restart'), code, timeoutMs: restartMs, what, failsWith: 500 } as const;
      const url = readUrl((await call({ ...to, method: 'POST' })).body);
      if (url !== null) return { url };
      throw new DeployError(code, `The platform confirmed ${what} without an address.`);
    },
    stop: async (app) => {
      const what = `the stop of ${app.app}`;
      await call({ ...appPath(app, 'stop'), code, method: 'POST', timeoutMs: endMs, what });
    },
    remove: async (app) => {
      const what = `the removal of ${app.app}`;
      await call({ ...appPath(app), code, method: 'DELETE', timeoutMs: endMs, what, accept: [404] });
    },
  };
}
