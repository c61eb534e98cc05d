import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { CheckOutcome } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';

/**
 * Returns a reader of verdicts, for `defineSender`: it needs only the fields of the schema, and returns null for a body
 * that lacks one of them.
 */
export function verdictReader<const Schema extends v.GenericSchema>(
  schema: Schema,
  verdictOf: (fields: v.InferOutput<Schema>, call: HookCall) => BuildVerdict,
): (call: HookCall) => BuildVerdict | null {
  return (call) => {
    const result = v.safeParse(schema, call.body);
    return result.success ? verdictOf(result.output, call) : null;
  };
}

/**
 * The `state` of a build that a timer started. Such a build is neutral for every sender that says so: it builds the
 * newest commit of a branch again, often with other jobs than a push, so it neither deploys nor ends a wait.
 */
export const TIMED_STATE = 'started by a timer';

/** Returns whether a provider's word for what started a build is a timer: `cron`, `schedule`, `scheduled_pipeline`. */
export function isTimed(trigger: string | null | undefined): boolean {
  return /^(?:cron|schedule)/i.test(trigger ?? '');
}

const outcomes = new Map<string, CheckOutcome>([
  ['success', 'passed'],
  ['neutral', 'neutral'],
  ['skipped', 'neutral'],
  // Superseded by another run.
  ['stale', 'neutral'],
  // Waits for approval, then continues and concludes again.
  ['action_required', 'pending'],
]);

/**
 * Returns the outcome for a conclusion of GitHub's checks and workflows (https://docs.github.com/rest/checks/runs).
 * Only `success` passes; a missing conclusion is pending, even in a completed run; unknown values fail.
 */
export function outcomeOfConclusion(conclusion: string | null | undefined): CheckOutcome {
  if (conclusion === null || conclusion === undefined || conclusion === '') return 'pending';
  return outcomes.get(conclusion) ?? 'failed';
}

/** The prefix of every commit status that the service sets (`deployment-webhooks/<app>`). */
const ownPrefix = 'deployment-webhooks/';

/** Returns whether the service has set a commit status: acting on it would set another one, in an endless loop. */
export function isOwnStatus(context: string): boolean {
  return context.toLowerCase().startsWith(ownPrefix);
}

/** The `reason` of the notice for such a status. */
export const ownStatusReason = "The status is the service's own; it is not acted on.";
