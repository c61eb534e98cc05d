import { messageOf } from '../../http/http-error.ts';
import type { RunnerCalls } from '../../runner/calls.ts';
import { followReports, type ReportParts } from './reports.ts';
import type { Runners } from './runners.ts';

/** A runner in this process, or one that is started again when it has ended. */
export interface UsedRunner extends RunnerCalls {
  /** Has a function called each time that it was started again, with nothing running. */
  onRestart?(told: () => void): void;
}

/**
 * Has the applications that are to run started, now and each time that the runner was started again, and follows what
 * happens to them until the result is closed.
 */
export function runApplications(runner: UsedRunner, runners: Runners, parts: Omit<ReportParts, 'recorded'>) {
  const closed = new AbortController();
  const failed = (error: unknown) => parts.log({ type: 'platform.error', detail: messageOf(error) });
  const following = followReports(runner, { ...parts, recorded: runners.recorded }, closed.signal);
  let resumed = runners.resume().catch(failed);
  runner.onRestart?.(() => {
    resumed = resumed
      .then(runners.tellAll)
      .then(() => runners.resume())
      .catch(failed);
  });
  return {
    close: async (): Promise<void> => {
      closed.abort();
      await Promise.all([resumed, following]);
    },
  };
}
