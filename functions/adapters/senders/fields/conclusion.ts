import type { CheckOutcome } from '../../../core/payload/delivery.ts';

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
