import { expect, it } from 'vitest';
import { fitting } from '../../../../functions/core/paging.ts';

it('One row is shown however large it is', () => {
  expect(fitting(['a'.repeat(100), 'b'], 10)).toEqual(['a'.repeat(100)]);
  expect(fitting(['a', 'b', 'c'], 15)).toEqual(['a', 'b']);
  expect(fitting([], 10)).toEqual([]);
});
