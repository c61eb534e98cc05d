/**
 * The `state` of a build that a timer started. Such a build is neutral for every sender that says so: it builds the
 * newest commit of a branch again, often with other jobs than a push, so it neither deploys nor ends a wait.
 */
export const TIMED_STATE = 'started by a timer';

/** Returns whether a provider's word for what started a build is a timer: `cron`, `schedule`, `scheduled_pipeline`. */
export function isTimed(trigger: string | null | undefined): boolean {
  return /^(?:cron|schedule)/i.test(trigger ?? '');
}
