import type { CheckOutcome } from '../payload/delivery.ts';

/** The result of one check of a CI provider for a commit. */
export interface CheckResult {
  readonly provider: string;
  /** Name of the check, workflow or pipeline, for people: two checks of a commit may have the same one. */
  readonly check: string;
  /** What its provider tells the check apart by; absent where that is the name. */
  readonly id?: string;
  /** Grows from run to run of the check: a number or a time of the provider's. Absent where it sends none. */
  readonly run?: number;
  readonly outcome: CheckOutcome;
  /** The provider's own word for it. */
  readonly state: string;
}

/** The combined result of all known checks of a commit; `check` is one that blocks the deploy. */
export type CiVerdict =
  | { readonly says: 'passed' | 'nothing' }
  | { readonly says: 'failed' | 'pending'; readonly check: CheckResult };

/**
 * Returns the combined result: one failed check is enough to fail, else one pending check is enough to wait. Skipped
 * and neutral checks neither block the deploy nor pass the commit.
 */
export function ciVerdictOf(checks: readonly CheckResult[]): CiVerdict {
  for (const says of ['failed', 'pending'] as const) {
    const check = checks.find(({ outcome }) => outcome === says);
    if (check) return { says, check };
  }
  return { says: checks.some(({ outcome }) => outcome === 'passed') ? 'passed' : 'nothing' };
}

/**
 * Returns the results after one more, sorted by name. The result of the last run of a check counts: a later pass replaces
 * a failure. Calls can arrive in the wrong order, so the result of an earlier run does not, and a pending or neutral
 * result never replaces a final one.
 */
export function withResult(known: readonly CheckResult[], result: CheckResult): readonly CheckResult[] {
  const before = known.find((one) => checkKey(one) === checkKey(result));
  if (before && !replaces(result, before)) return known;
  return byName([...known.filter((one) => one !== before), result]);
}

export function byName(checks: readonly CheckResult[]): readonly CheckResult[] {
  return [...checks].sort((one, other) => (checkKey(one) < checkKey(other) ? -1 : 1));
}

/** Returns the key that identifies a check among those of a commit. */
export function checkKey({ provider, check, id = check }: CheckResult): string {
  return `${provider}#${id}`;
}

/** Whether a check has passed or failed. */
export function isSettled({ outcome }: CheckResult): boolean {
  return outcome === 'passed' || outcome === 'failed';
}

export function checkInWords({ provider, check }: CheckResult): string {
  return `the check "${check}" of ${provider}`;
}

export function failureInWords(check: CheckResult): string {
  return `CI did not pass: ${checkInWords(check)} said "${check.state}".`;
}

function replaces(result: CheckResult, before: CheckResult): boolean {
  if (!isSettled(before)) return result.outcome !== 'pending';
  const isEarlier = result.run !== undefined && before.run !== undefined && result.run < before.run;
  return isSettled(result) && !isEarlier;
}
