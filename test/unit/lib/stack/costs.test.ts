import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectedCost } from '../../../sandbox/expected-cost.ts';
import { costsOf, sumOf } from '../../../support/template/costs.ts';
import { serviceTemplate } from '../../../support/template/service-template.ts';

const costs = costsOf(serviceTemplate().ofType);
const readme = readFileSync(new URL('../../../../lib/stack/README.md', import.meta.url), 'utf8');
const section = readme.split(/^## /m).find((one) => one.startsWith('Costs\n')) ?? '';

/** The rows of a table of the section: what, and dollars; of the last column, or one before. */
function told(heading: string, columnsBefore = 0): [string | undefined, string | undefined][] {
  const [, table = ''] = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-| ]+\\|\\n((?:\\|.*\\n)+)`, 'm').exec(section) ?? [];
  return [...table.matchAll(/^\|(.+)\|$/gm)].map(([, row = '']) => {
    const cells = row.split('|').map((cell) => cell.trim());
    return [cells[0], cells.at(-1 - columnsBefore)];
  });
}

function rows(parts: Readonly<Record<string, number>>, digits: number): [string, string][] {
  const shown = (dollars: number): string => dollars.toFixed(digits);
  return [
    ...Object.entries(parts).map(([what, dollars]): [string, string] => [what, shown(dollars)]),
    ['in all', shown(sumOf(parts))],
  ];
}

describe('what the stack costs, by the template and the list prices', () => {
  it('is at most three dollars a month when nobody uses it', () => {
    expect(sumOf(costs.idle)).toBeLessThanOrEqual(3);
    expect(sumOf(costs.idleInNewAccount)).toBeLessThanOrEqual(3);
    expect(sumOf(costs.idleWithoutLimits)).toBeLessThan(sumOf(costs.idle));
  });

  it('is said for a stack of the sandbox before it is deployed', () => {
    expect(expectedCost('hooks-sandbox')).toMatch(
      /the stack hooks-sandbox [\s\S]*no bill has confirmed: 0\.\d\d dollars/,
    );
  });

  it('is in the README as it is computed here', () => {
    expect(told('a month without any deploy', 1)).toEqual(rows(costs.idle, 2));
    expect(costs.idleInNewAccount).toEqual(costs.idle);
    expect(told('a month without any deploy')).toEqual(rows(costs.idleWithoutLimits, 2));
    expect(told('1000 deploys')).toEqual(rows(costs.thousandDeploys, 3));
    const [[, builds] = []] = told('1000 builds of a minute on AWS Lambda');
    expect(builds).toBe(sumOf(costs.thousandBuilds).toFixed(3));
    expect(told('1000 watchers for one hour')).toEqual(rows(costs.thousandWatcherHours, 3));
  });
});
