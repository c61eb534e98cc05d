import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNameLike } from '../../../../lib/files/name-pattern.ts';

describe('a pattern', () => {
  it.each([
    ['*.db', 'a.db', true],
    ['*.db', '.db', false],
    ['.*.db', '.a.db', true],
    ['a*', 'a', true],
    ['a*a', 'a', false],
    ['**', 'a', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['a.db', 'a.db', true],
    ['a.db', 'a-db', false],
    ['[ab]*', 'a', false],
    ['*ab*ab', 'xab', false],
  ])('%s and the name %s: %s', (pattern, name, fits) => {
    expect(isNameLike(pattern, name)).toBe(fits);
  });

  it('fits the names that a search of all possibilities finds', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
    const fits = (one: string, name: string): boolean => {
      if (one === '') return name === '';
      if (!one.startsWith('*')) return one[0] === name[0] && fits(one.slice(1), name.slice(1));
      return fits(one.slice(1), name) || (name !== '' && fits(one, name.slice(1)));
    };
    const isHidden = (one: string, name: string) => one.startsWith('*') && name.startsWith('.');
    fc.assert(
      fc.property(pattern, text, (one, name) => {
        expect(isNameLike(one, name)).toBe(!isHidden(one, name) && fits(one, name));
      }),
    );
  });

  it.each(['a*', '*a', 'a**', '*a*'])('of many %s is compared with a long name without trying again', (part) => {
    expect(isNameLike(`${part.repeat(25_000)}b`, 'a'.repeat(100_000))).toBe(false);
  });
});
