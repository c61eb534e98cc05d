import { describe, expect, it } from 'vitest';
import { reasonIn } from '../../../../../functions/core/output/build-reason.ts';

describe('the reason of a failed command', () => {
  it.each([
    [
      "npm's code and message",
      [
        'npm error code ERESOLVE',
        'npm error ERESOLVE unable to resolve dependency tree',
        'npm error A complete log of this',
      ],
      ': ERESOLVE: ERESOLVE unable to resolve dependency tree',
    ],
    [
      'the error of a script, not what npm says about it',
      [
        '> app@1.0.0 build',
        '> tsc',
        'src/a.ts(1,7): error TS2322: wrong.',
        'npm error Lifecycle script `build` failed with error:',
        'npm error code 2',
      ],
      ': src/a.ts(1,7): error TS2322: wrong',
    ],
    [
      'the line below a heading',
      ['error during build:', 'Could not resolve entry module "x.html".'],
      ': error during build: Could not resolve entry module "x.html"',
    ],
    [
      'the error of pnpm',
      [' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"'],
      ': ERR_PNPM_OUTDATED_LOCKFILE Cannot install with "frozen-lockfile"',
    ],
    ['the last line, when none speaks of an error', ['checking', 'three problems', ''], ': three problems'],
    ['nothing, when nothing was printed', [], ''],
    ['the text without colours', ['\u001b[31mError: no\u001b[39m'], ': Error: no'],
  ])('is %s', (_what, lines, reason) => {
    expect(reasonIn(lines)).toBe(reason);
  });

  it('is at most 300 characters', () => {
    expect(reasonIn([`Error: ${'x'.repeat(1_000)}`]).length).toBeLessThanOrEqual(302);
  });
});
