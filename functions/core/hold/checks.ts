import type { Outcome } from '../payload/delivery.ts';

/** What one check of a CI provider says of a commit. */
export interface CheckResult {
  readonly provider: string;
  /** Name of the check, workflow or pipeline among those of the provider. */
  readonly check: string;
  readonly outcome: Outcome;
  /** The provider's own word for it. */
  readonly state: string;
}

/** What all known checks of a commit say together; `check` is one that stands in the way. */
export type Verdict =
  | { readonly says: 'passed' | 'nothing' }
  | { readonly says: 'failed' | 'pending'; readonly check: CheckResult };

/**
 * One failed check is enough to fail; else one that is under way is enough to wait. What was skipped or is neutral is in
 * nobody's way, and does not vouch for the commit either.
 */
export function verdictOf(checks: readonly CheckResult[]): Verdict {
  for (const says of ['failed', 'pending'] as const) {
    const check = checks.find(({ outcome }) => outcome === says);
    if (check) return { says, check };
  }
  return { says: checks.some(({ outcome }) => outcome === 'passed') ? 'passed' : 'nothing' };
}

/**
 * The results after one more, by name. Of one check the last word counts: a later pass takes back a failure. Calls may
 * come in the wrong order, so a check that has come to an end is not put back by the news that it runs, nor by a run of
 * it that tells nothing.
 */
export function withResult(known: readonly CheckResult[], result: CheckResult): readonly CheckResult[] {
  const before = known.find((one) => checkKey(one) === checkKey(result));
  if (before && !replaces(result, before)) return known;
  return byName([...known.filter((one) => one !== before), result]);
}

/** Results in the order of their names. */
export function byName(checks: readonly CheckResult[]): readonly CheckResult[] {
  return [...checks].sort((one, other) => (checkKey(one) < checkKey(other) ? -1 : 1));
}

/** What tells a check from the others of a commit. */
export function checkKey({ provider, check }: CheckResult): string {
  return `${provider}#${check}`;
}

/** Whether a check has come to an end that says something. */
export function isSettled({ outcome }: CheckResult): boolean {
  return outcome === 'passed' || outcome === 'failed';
}

/** A check as it is called in sentences. */
export function checkInWords({ provider, check }: CheckResult): string {
  return `the check "${check}" of ${provider}`;
}

/** Why a commit whose check failed is not deployed. */
export function failureInWords(check: CheckResult): string {
  return `CI did not pass: ${checkInWords(check)} said "${check.state}".`;
}

function replaces(result: CheckResult, before: CheckResult): boolean {
  return isSettled(result) || (result.outcome === 'neutral' && !isSettled(before));
}
