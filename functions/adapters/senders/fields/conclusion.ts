import type { Outcome } from '../../../core/payload/delivery.ts';

const outcomes = new Map<string, Outcome>([
  ['success', 'passed'],
  ['neutral', 'neutral'],
  ['skipped', 'neutral'],
  // Out of date since another run took its place.
  ['stale', 'neutral'],
  // Somebody has to approve first; then it goes on and is concluded again.
  ['action_required', 'pending'],
]);

/**
 * What a conclusion of GitHub's checks and workflows says
 * (https://docs.github.com/rest/checks/runs). Only `success` passes; no conclusion yet is pending, even if the run claims
 * to be completed; words that are not known fail.
 */
export function outcomeOfConclusion(conclusion: string | null | undefined): Outcome {
  if (conclusion === null || conclusion === undefined || conclusion === '') return 'pending';
  return outcomes.get(conclusion) ?? 'failed';
}
