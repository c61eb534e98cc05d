import { describe, expect, it } from 'vitest';
import { preferredWait } from '../../../../functions/api/entry-answer.ts';
import { fitting } from '../../../../functions/api/paging.ts';
import { feed, includeDocs, maxRows, oneOf, query, wholeNumber } from '../../../../functions/api/parameters.ts';

const limit = query('limit', 'Rows.', { type: 'integer', minimum: 1, maximum: 100, default: 10 });
const bad = (name: string) =>
  expect.objectContaining({ code: 'request:bad_parameter', detail: expect.stringContaining(name) });

describe('a whole number of the query', () => {
  it('is read, and has a default when it is missing', () => {
    expect(wholeNumber({ limit: '7' }, limit)).toBe(7);
    expect(wholeNumber({}, limit)).toBe(10);
  });

  it('without a default or a limit may be missing, or as large as there are whole numbers', () => {
    expect(wholeNumber({}, maxRows)).toBeUndefined();
    expect(wholeNumber({ limit: '999999999999999' }, maxRows)).toBe(999_999_999_999_999);
    expect(() => wholeNumber({ limit: '0' }, maxRows)).toThrow('must be a whole number, 1 or more.');
  });

  it('can equal its limits', () => {
    expect(wholeNumber({ limit: '1' }, limit)).toBe(1);
    expect(wholeNumber({ limit: '100' }, limit)).toBe(100);
  });

  it.each(['', '0', '101', '-1', '1.5', '1e1', ' 7', 'ten', '9'.repeat(400)])(
    'is refused by name when it is %j',
    (text) => {
      expect(() => wholeNumber({ limit: text }, limit)).toThrow(bad('limit'));
    },
  );
});

describe('include_docs', () => {
  it.each(['true', 'false', 'auto'] as const)('may be %s', (text) => {
    expect(oneOf({ include_docs: text }, includeDocs)).toBe(text);
  });

  it('is false when it is missing', () => {
    expect(oneOf({}, includeDocs)).toBe('false');
  });

  it.each(['', 'yes', 'TRUE', '1'])('is refused by name when it is %j', (text) => {
    expect(() => oneOf({ include_docs: text }, includeDocs)).toThrow(bad('include_docs'));
  });
});

describe('a query parameter with known values', () => {
  it('is one of them, and has a default when it is missing', () => {
    expect(oneOf({ feed: 'normal' }, feed)).toBe('normal');
    expect(oneOf({}, feed)).toBe('continuous');
  });

  it('is refused by name when it has another value', () => {
    expect(() => oneOf({ feed: 'rss' }, feed)).toThrow(bad('feed'));
  });
});

it('One row is shown however large it is', () => {
  expect(fitting(['a'.repeat(100), 'b'], 10)).toEqual(['a'.repeat(100)]);
  expect(fitting(['a', 'b', 'c'], 15)).toEqual(['a', 'b']);
  expect(fitting([], 10)).toEqual([]);
});

it.each([
  ['wait=10', 10],
  ['Wait = "10"', 10],
  ['respond-async, wait=10', 10],
  ['wait=10; foo=bar', 10],
  ['wait=0', 0],
  ['wait=3600', 25],
  ['wait=99999999999999999999', 25],
])('A client that prefers %s waits %d seconds', (header, seconds) => {
  expect(preferredWait(header)).toBe(seconds);
});

it.each([undefined, '', 'respond-async', 'wait', 'wait=', 'wait=soon', 'wait=-1', 'wait=1.5', 'await=10'])(
  'A client that prefers %j does not wait',
  (header) => {
    expect(preferredWait(header)).toBeNull();
  },
);
