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

  it.each([
    [1, 'failed', 2, 'passed', 'passed'],
    [2, 'passed', 1, 'failed', 'passed'],
    [2, 'pending', 1, 'failed', 'failed'],
    [2, 'failed', 2, 'passed', 'passed'],
    [undefined, 'passed', 1, 'failed', 'failed'],
    [2, 'passed', undefined, 'failed', 'failed'],
  ] as const)('of run %s that %s, then of run %s that %s: the check has %s', (one, before, other, after, now) => {
    const of = (run: number | undefined, outcome: CheckOutcome) => ({ ...said('unit', outcome), ...(run && { run }) });
    expect(outcomes(withResult([of(one, before)], of(other, after)))).toEqual([`unit ${now}`]);
  });

  it('does not change that of another check of its name', () => {
    const known = withResult([{ ...said('CI', 'failed'), id: 'a.yml' }], { ...said('CI', 'passed'), id: 'b.yml' });
    expect(outcomes(known)).toEqual(['CI failed', 'CI passed']);
  });

  it('does not change the others, not even those with the same name of another provider', () => {
    const other = { ...said('unit', 'failed'), provider: 'another' };
    const known = withResult([other], said('unit', 'passed'));
    expect(outcomes(known)).toEqual(['unit failed', 'unit passed']);
  });
});
