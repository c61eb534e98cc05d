import { messageOf } from '../../http/http-error.ts';
import type { RunnerCalls } from '../../runner/calls.ts';
import type { DesiredState } from './desired-state.ts';
import { followReports, type ReportParts } from './reports.ts';

/** A runner in this process, or one that is started again when it has ended. */
export interface UsedRunner extends RunnerCalls {
  /** Calls the listener after each restart of the runner, when nothing runs. */
  onRestart?(listener: () => void): void;
}

/** Starts the desired applications, now and after each restart of the runner, and follows its reports until it is closed. */
export function runApplications(runner: UsedRunner, desired: DesiredState, parts: Omit<ReportParts, 'recorded'>) {
  const closed = new AbortController();
  const failed = (error: unknown) => parts.log({ type: 'platform.error', detail: messageOf(error) });
  const following = followReports(runner, { ...parts, recorded: desired.recorded }, closed.signal);
  let resumed = desired.resume().catch(failed);
  runner.onRestart?.(() => {
    resumed = resumed
      .then(() => desired.describeAll())
      .then(() => desired.resume())
      .catch(failed);
  });
  return {
    close: async (): Promise<void> => {
      closed.abort();
      await Promise.all([resumed, following]);
    },
  };
}
