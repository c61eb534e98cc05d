import { describe, expect, it } from 'vitest';
import { findExcess } from '../../../../../functions/core/payload/json-excess.ts';

const list = (length: number, make: (at: number) => string) =>
  `[${Array.from({ length }, (_none, at) => make(at)).join(',')}]`;

describe('a JSON text is not too much', () => {
  it.each([
    ['a hundred levels', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['200,000 values', list(200_000, String)],
    [
      'objects that are alike, however many',
      list(40_000, (at) => `{"id": "${at}", "message" : "x", "author":{"name":"a"}}`),
    ],
    [
      'the same fields, written with blanks or without',
      list(40_000, (at) => (at % 2 ? '{"a":1,"b":2}' : '{ "a" : 1, "b"\n: 2 }')),
    ],
    ['texts that are all different', list(100_000, (at) => `"text ${at}"`)],
    ['texts that only look like fields', list(50_000, (at) => `"\\"a${at}\\":"`)],
    ['10,000 different fields', `{${list(10_000, (at) => `"field ${at}":1`).slice(1, -1)}}`],
    ['what is no JSON at all', `"}]":}}}}${'"a":'.repeat(50_000)}`],
  ])('for %s', (_what, text) => expect(findExcess(text)).toBeNull());
});

describe('a JSON text is too much', () => {
  it.each([
    ['levels', `${'['.repeat(101)}`, 'it nests deeper than 100 levels'],
    ['values', list(300_000, () => '0'), 'it holds more than 250000 values'],
    [
      'fields of one object',
      `{${list(25_000, (at) => `"field ${at}":1`).slice(1, -1)}}`,
      'more than 20000 different fields',
    ],
    [
      'fields of many objects',
      list(2_500, (at) => `{${list(10, (field) => `"${at}-${field}":1`).slice(1, -1)}}`),
      'more than 20000',
    ],
  ])('for more %s, and the place is told', (_what, text, problem) => {
    const excess = findExcess(text);
    expect(excess?.problem).toContain(problem);
    expect(excess?.offset).toBeGreaterThan(0);
    expect(excess?.offset).toBeLessThan(text.length);
  });
});
