import { expect, it } from 'vitest';
import { withoutValues } from '../../../../../functions/core/output/without-values.ts';

it.each([
  ['a value', { A: 'geheim1' }, 'x geheim1 y geheim1', 'x *** y ***'],
  ['the longest of the values that begin alike', { A: 'geheim', B: 'geheimnis' }, 'geheimnis geheim', '*** ***'],
  ['a value that ends another one', { A: 'abcdefgh', B: 'efghij' }, '-abcdefghij-', '-***-'],
  ['values that overlap', { A: 'abcdefgh', B: 'efghijklmn' }, 'abcdefghijklmn', '***'],
  ['each line of a value', { A: 'line one\nline two' }, 'line two', '***'],
  ['no short value', { A: '12345' }, '12345', '12345'],
  ['no beginning of a value', { A: 'abcdefgh', B: 'abcdef12' }, 'abcdef1', 'abcdef1'],
])('the lines are without %s', (_what, variables, line, shown) => {
  expect(withoutValues([line], variables)).toEqual([shown]);
});

it('a line has at most 2000 characters, and no half of a value at its end', () => {
  const [line] = withoutValues([`${'x'.repeat(1_995)}geheimnis${'y'.repeat(9_000)}`], { A: 'geheimnis' });

  expect(line).toBe(`${'x'.repeat(1_995)}***yy`);
});
