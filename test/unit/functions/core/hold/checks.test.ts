import { describe, expect, it } from 'vitest';
import {
  type CheckResult,
  ciVerdictOf,
  failureInWords,
  withResult,
} from '../../../../../functions/core/hold/checks.ts';
import type { CheckOutcome } from '../../../../../functions/core/payload/delivery.ts';

const said = (check: string, outcome: CheckOutcome): CheckResult => ({
  provider: 'ci',
  check,
  outcome,
  state: outcome,
});
const outcomes = (checks: readonly CheckResult[]) => checks.map(({ check, outcome }) => `${check} ${outcome}`);

describe('the combined result of the checks of a commit', () => {
  it.each([
    ['nothing', []],
    ['nothing', ['neutral']],
    ['passed', ['passed', 'neutral']],
    ['pending', ['passed', 'pending']],
    ['failed', ['passed', 'pending', 'failed']],
  ] as const)('is %s when they are %j', (says, all) => {
    expect(ciVerdictOf(all.map((outcome, place) => said(`${place}`, outcome))).says).toBe(says);
  });

  it('names the check that blocks the deploy', () => {
    const verdict = ciVerdictOf([said('lint', 'passed'), said('unit', 'failed')]);
    expect(verdict).toEqual({ says: 'failed', check: said('unit', 'failed') });
    expect(failureInWords(said('unit', 'failed'))).toBe('CI did not pass: the check "unit" of ci said "failed".');
  });
});

describe('a result of a check', () => {
  it.each([
    ['passed', 'failed', 'failed'],
    ['failed', 'passed', 'passed'],
    ['pending', 'passed', 'passed'],
    ['pending', 'neutral', 'neutral'],
    ['passed', 'pending', 'passed'],
    ['failed', 'pending', 'failed'],
    ['passed', 'neutral', 'passed'],
    ['neutral', 'pending', 'neutral'],
  ] as const)('after %s is %s: the check is %s', (before, after, now) => {
    expect(outcomes(withResult([said('unit', before)], said('unit', after)))).toEqual([`unit ${now}`]);
  });

  it('does not change the others, not even those with the same name of another provider', () => {
    const other = { ...said('unit', 'failed'), provider: 'another' };
    const known = withResult([other], said('unit', 'passed'));
    expect(outcomes(known)).toEqual(['unit failed', 'unit passed']);
  });
});
