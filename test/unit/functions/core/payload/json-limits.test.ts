import { describe, expect, it } from 'vitest';
import { exceededLimit } from '../../../../../functions/core/payload/json-limits.ts';

const list = (length: number, make: (at: number) => string) =>
  `[${Array.from({ length }, (_none, at) => make(at)).join(',')}]`;

describe('a JSON text exceeds no limit', () => {
  it.each([
    ['with a hundred levels', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['with 200,000 values', list(200_000, String)],
    ['with 100,000 fields', list(25_000, (at) => `{"id": "${at}", "message" : "x", "author":{"name":"a"}}`)],
    ['with strings that look like fields', list(150_000, (at) => `"\\"a${at}\\":"`)],
    ['when it is not JSON and unbalanced', `"}]":}}}}${'"a":'.repeat(50_000)}`],
  ])('%s', (_what, text) => expect(exceededLimit(text)).toBeNull());
});

describe('a JSON text exceeds a limit', () => {
  it.each([
    ['levels', `${'['.repeat(101)}`, 'nests deeper than 100 levels'],
    ['values', list(300_000, () => '0'), 'has more than 250000 values'],
    ['values that end in a backslash', list(300_000, () => '"\\\\"'), 'has more than 250000 values'],
    ['fields of one object', `{${list(100_001, (at) => `"${at}":1`).slice(1, -1)}}`, 'has more than 100000 fields'],
    ['fields of many objects', list(100_001, (at) => `{"${at}":1}`), 'has more than 100000 fields'],
  ])('with more %s, which it names', (_what, text, problem) => {
    expect(exceededLimit(text)).toBe(problem);
  });
});
