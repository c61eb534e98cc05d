import { expect, it } from 'vitest';
import { withoutValues } from '../../../../../functions/core/output/without-values.ts';

it.each([
  ['a value', { A_KEY: 'geheim1' }, 'x geheim1 y geheim1', 'x *** y ***'],
  [
    'the longest of the values that begin alike',
    { A_KEY: 'geheim', B_KEY: 'geheimnis' },
    'geheimnis geheim',
    '*** ***',
  ],
  ['a value that ends another one', { A_KEY: 'abcdefgh', B_KEY: 'efghij' }, '-abcdefghij-', '-***-'],
  ['values that overlap', { A_KEY: 'abcdefgh', B_KEY: 'efghijklmn' }, 'abcdefghijklmn', '***'],
  ['each line of a value', { A_KEY: 'line one\nline two' }, 'line two', '***'],
  ['no short value', { A_KEY: '12345' }, '12345', '12345'],
  ['no word', { SERVICE: 'server', NODE_ENV: 'production' }, 'src/server in production', 'src/server in production'],
  [
    'no path of words',
    { ENTRY: './src/server/index.ts', ROLE: 'server' },
    'server ./src/server/index.ts:3',
    'server ./src/server/index.ts:3',
  ],
  ['a passphrase of words', { DB: 'correct-horse' }, 'x correct-horse', 'x ***'],
  ['a password of words', { DB_PASS: 'horse-staple' }, 'x horse-staple', 'x ***'],
  ['letters and digits between dots', { DB: 'aB3kd.q0Lm' }, 'x aB3kd.q0Lm', 'x ***'],
  ['a word that is a secret', { DB_PASSWORD: 'welcome' }, 'as welcome', 'as ***'],
  ['letters that are no word', { DB: 'xKqPzvWm' }, 'as xKqPzvWm', 'as ***'],
  ['no beginning of a value', { A_KEY: 'abcdefgh', B_KEY: 'abcdef12' }, 'abcdef1', 'abcdef1'],
])('the lines are without %s', (_what, variables, line, shown) => {
  expect(withoutValues([line], variables)).toEqual([shown]);
});

it('a line has at most 2000 characters, and no half of a value at its end', () => {
  const [line] = withoutValues([`${'x'.repeat(1_995)}geheimnis${'y'.repeat(9_000)}`], { A_KEY: 'geheimnis' });

  expect(line).toBe(`${'x'.repeat(1_995)}***yy`);
});
