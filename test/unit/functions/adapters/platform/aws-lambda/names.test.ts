import { describe, expect, it } from 'vitest';
import { functionName, jobFunctionOf } from '../../../../../../functions/adapters/platform/aws-lambda/names.ts';

const app = { user: 'u'.repeat(60), app: 'a'.repeat(60) };

describe('the names on AWS of an application', () => {
  it('fit into the 64 characters of a function with the longest name of a stack', () => {
    expect(jobFunctionOf(functionName(`${'s'.repeat(40)}-app`, app))).toMatch(/^[\w-]{64}$/);
    expect(jobFunctionOf(functionName('hooks-app', app))).toHaveLength(64);
  });

  it('differ between applications whose names begin alike', () => {
    const names = ['shop', 'shop-1'].map((name) => functionName('hooks-app', { user: 'ann', app: name }));
    expect(new Set(names).size).toBe(2);
    expect(names[0]).toMatch(/^hooks-app-ann-shop-[\da-f]{16}$/);
  });
});
