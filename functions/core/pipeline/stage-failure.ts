import { DeployError } from '../errors.ts';
import { type StageName, stageCode, stageWord } from './pipeline.ts';

/** Attempts at a stage before a retryable failure becomes an error. */
export const MAX_ATTEMPTS = 5;

/**
 * Tries at a stage that may end with the process of one machine, without counting as attempts. One that is to blame for
 * the end of its process uses these up, then its attempts, and fails.
 */
export const MAX_RESTARTS = 20;

/** Returns a thrown value as an error with a code, by default a retryable one with the code of the stage. */
export function asDeployError(error: unknown, stage: StageName): DeployError {
  if (error instanceof DeployError) return error;
  const detail = `The service failed in the stage "${stageWord(stage)}".`;
  return new DeployError(stageCode(stage), detail, { retry: true, cause: error });
}

/** Returns the error of a run of a stage that has taken too long; another may be faster. */
export function tookTooLong(stage: StageName, limitMs: number): DeployError {
  const detail = `The stage "${stageWord(stage)}" was not done within ${limitMs / 1000} seconds.`;
  return new DeployError(stageCode(stage), detail, { retry: true, host: asksHost(stage) ? 'away' : undefined });
}

/** Whether what a stage waits for is the repository host. */
function asksHost(stage: StageName): boolean {
  return stage === 'check' || stage === 'fetch';
}

/** Returns the error of a stage that was claimed too often, because its workers died. */
export function gaveUp(stage: StageName): DeployError {
  const detail = `The stage "${stageWord(stage)}" was tried ${MAX_ATTEMPTS} times and never finished.`;
  return new DeployError(stageCode(stage), detail, { retry: false });
}

/** Returns the error of a stage whose result keeps disappearing before it is used. */
export function resultLost(stage: StageName): DeployError {
  const detail = `The result of the stage "${stageWord(stage)}" was deleted ${MAX_ATTEMPTS + 1} times before the next stage read it.`;
  return new DeployError(stageCode(stage), detail, { retry: false });
}
