import { expect, it } from 'vitest';
import { branchNamed } from '../../../../../functions/core/payload/branch.ts';

it.each(['main', 'feature/a.b', 'v1.2', 'a@b', 'ü', 'refs/heads/main'])('%s is the name of a branch', (name) => {
  expect(branchNamed(name, 'ref')).toBe(name.replace('refs/heads/', ''));
});

it.each(['..', '.', 'a/../b', 'a/./b', '/a', 'a/', 'a//b', '.a', 'a.', 'a..b', 'a@{b', 'a b', '', 'refs/heads/..'])(
  '"%s" is not the name of a branch',
  (name) => {
    expect(() => branchNamed(name, 'ref')).toThrow('The parameter ref is not the name of a branch.');
  },
);
