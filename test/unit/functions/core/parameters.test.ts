import { describe, expect, it } from 'vitest';
import { fitting } from '../../../../functions/core/paging.ts';
import { includeDocs, oneOf, preferredWait, wholeNumber } from '../../../../functions/core/parameters.ts';

const limit = { preset: 10, from: 1, to: 100 };
const bad = (name: string) =>
  expect.objectContaining({ code: 'request:bad_parameter', detail: expect.stringContaining(name) });

describe('a whole number of the query', () => {
  it('is read, and has a default when it is missing', () => {
    expect(wholeNumber({ limit: '7' }, 'limit', limit)).toBe(7);
    expect(wholeNumber({}, 'limit', limit)).toBe(10);
  });

  it('can equal its limits', () => {
    expect(wholeNumber({ limit: '1' }, 'limit', limit)).toBe(1);
    expect(wholeNumber({ limit: '100' }, 'limit', limit)).toBe(100);
  });

  it.each(['', '0', '101', '-1', '1.5', '1e1', ' 7', 'ten', '9'.repeat(400)])(
    'is refused by name when it is %j',
    (text) => {
      expect(() => wholeNumber({ limit: text }, 'limit', limit)).toThrow(bad('limit'));
    },
  );
});

describe('include_docs', () => {
  it.each(['true', 'false', 'auto'] as const)('may be %s', (text) => {
    expect(includeDocs({ include_docs: text })).toBe(text);
  });

  it('is false when it is missing', () => {
    expect(includeDocs({})).toBe('false');
  });

  it.each(['', 'yes', 'TRUE', '1'])('is refused by name when it is %j', (text) => {
    expect(() => includeDocs({ include_docs: text })).toThrow(bad('include_docs'));
  });
});

describe('a query parameter with known values', () => {
  const feeds = ['continuous', 'longpoll', 'normal'] as const;

  it('is one of them, the first when it is missing', () => {
    expect(oneOf({ feed: 'normal' }, 'feed', feeds)).toBe('normal');
    expect(oneOf({}, 'feed', feeds)).toBe('continuous');
  });

  it('is refused by name when it has another value', () => {
    expect(() => oneOf({ feed: 'rss' }, 'feed', feeds)).toThrow(bad('feed'));
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
