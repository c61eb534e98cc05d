import { DeployError } from '../errors.ts';
import type { Clock } from '../ports/system.ts';
import { stageCode } from './pipeline.ts';
import type { StageWork } from './stage-work.ts';

/**
 * Returns what decorates the work of stages that ask repository hosts: while a host asks for a pause, no other entry of the
 * user asks it. Hosts count requests by token, and a token belongs to a user. The pauses are in the memory of the process.
 */
export function hostPauses(clock: Clock): (work: StageWork) => StageWork {
  const pauses = new Map<string, number>();
  return (work) => async (entry, signal) => {
    const host = entry.repository?.host ?? '';
    const key = `${entry.user} ${host}`;
    const retryAfter = Math.ceil(((pauses.get(key) ?? 0) - clock.now()) / 1000);
    if (retryAfter > 0) {
      const detail = `${host} has asked for a pause (rate limit), which lasts ${retryAfter} s more.`;
      const error = new DeployError(stageCode(entry.stage), detail, { retry: true, host: 'away', retryAfter });
      return { kind: 'failed', error };
    }
    pauses.delete(key);
    const note = (error: unknown) => {
      if (error instanceof DeployError && error.retryAfter) pauses.set(key, clock.now() + error.retryAfter * 1000);
    };
    try {
      const outcome = await work(entry, signal);
      if (outcome.kind === 'failed') note(outcome.error);
      return outcome;
    } catch (error) {
      note(error);
      throw error;
    }
  };
}
