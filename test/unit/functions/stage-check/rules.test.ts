import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RULES } from '../../../../functions/stage-check/rules.ts';

const readme = readFileSync(new URL('../../../../functions/core/README.md', import.meta.url), 'utf8');

it('the rules of the stage have the order that the document explains', () => {
  const [, table = ''] = readme.split('| rule |');
  const documented = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(RULES.map(({ name }) => name)).toEqual(documented);
});
