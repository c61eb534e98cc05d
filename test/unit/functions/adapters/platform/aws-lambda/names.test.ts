import { describe, expect, it } from 'vitest';
import { WHOLE_REGIONS } from '../../../../../../functions/adapters/aws/regions.ts';
import { functionName } from '../../../../../../functions/adapters/platform/aws-lambda/names.ts';

const app = { user: 'u'.repeat(60), app: 'a'.repeat(60) };

describe('the names on AWS of an application', () => {
  it('fit into the 64 characters of a function with the longest name of a stack', () => {
    expect(functionName(`${'s'.repeat(40)}-app`, app)).toMatch(/^[\w-]{64}$/);
  });

  it.each(WHOLE_REGIONS)('fit into those of a role in %s, if the name of the stack leaves 22 for them', (region) => {
    const stack = 's'.repeat(64 - 22 - region.length);
    expect(functionName(`${stack}-app-${region}`, app)).toHaveLength(64);
    expect(functionName(`${stack}s-app-${region}`, app)).toHaveLength(65);
  });

  it('differ between applications whose names begin alike', () => {
    const names = ['shop', 'shop-1'].map((name) => functionName('hooks-app', { user: 'ann', app: name }));
    expect(new Set(names).size).toBe(2);
    expect(names[0]).toMatch(/^hooks-app-ann-shop-[\da-f]{16}$/);
  });
});
