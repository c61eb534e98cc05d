import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { keyedBy } from '../../../../lib/files/state-file.ts';

const Limits = keyedBy(v.pipe(v.string(), v.maxLength(12, 'is too long')), v.object({ mb: v.number('is no number') }));

function problemOf(input: unknown): string {
  const [issue] = v.safeParse(Limits, input).issues ?? [];
  return `${(issue?.path ?? []).map(({ key }) => key).join('.')} ${issue?.message}`.trim();
}

describe('An object with keys that users choose', () => {
  it.each(['shop', 'constructor', 'prototype', '__proto__', 'toString', ''])('keeps the key "%s"', (name) => {
    const read = v.parse(Limits, JSON.parse(`{"${name}":{"mb":64}}`));
    expect(Object.entries(read)).toEqual([[name, { mb: 64 }]]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('may be empty', () => {
    expect(v.parse(Limits, {})).toEqual({});
  });

  it.each([
    [{ constructor: { mb: 'many' } }, 'constructor.mb is no number'],
    [{ 'a name too long': { mb: 64 } }, 'a name too long is too long'],
    [['shop'], 'must be an object'],
    [null, 'must be an object'],
    ['shop', 'must be an object'],
  ])('says of %j where it is wrong', (input, problem) => {
    expect(problemOf(input)).toBe(problem);
  });
});
