import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { costsOf, sumOf } from '../../../support/template/costs.ts';
import { serviceTemplate } from '../../../support/template/service-template.ts';

const costs = costsOf(serviceTemplate().ofType);
const readme = readFileSync(new URL('../../../../lib/stack/README.md', import.meta.url), 'utf8');

describe('what the stack costs, by the template and the list prices', () => {
  it('is at most three dollars a month when nobody uses it', () => {
    expect(sumOf(costs.idle)).toBeLessThanOrEqual(3);
    expect(sumOf(costs.idleInNewAccount)).toBeLessThanOrEqual(3);
    expect(sumOf(costs.idleWithoutLimits)).toBeLessThan(sumOf(costs.idle));
  });

  it('is in the README as it is computed here', () => {
    const [, costsSection = ''] = readme.split('\n## Costs\n');
    const told = [...costsSection.matchAll(/^\| (.+) \| ([\d.]+) \|$/gm)].map(([, what, dollars]) => [what, dollars]);
    expect(costs.idleInNewAccount).toEqual(costs.idle);
    expect(told).toEqual([
      ['a month without any deploy, stages limited', sumOf(costs.idle).toFixed(2)],
      ['a month without any deploy, stages not limited', sumOf(costs.idleWithoutLimits).toFixed(2)],
      ['1000 deploys', sumOf(costs.thousandDeploys).toFixed(3)],
      ['1000 builds of a minute on Lambda compute', sumOf(costs.thousandBuilds).toFixed(3)],
      ['1000 watchers by HTTP for one hour', sumOf(costs.thousandWatcherHours).toFixed(3)],
    ]);
  });
});
