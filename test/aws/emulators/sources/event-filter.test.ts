import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../../aws-local/sources/event-filter.ts';

const head = {
  eventName: 'MODIFY',
  dynamodb: { Keys: { pk: { S: 'u' }, sk: { S: 'HEAD' } }, NewImage: { n: 5, tags: ['a', 'b'] } },
};

describe('A filter pattern', () => {
  it.each<[string, object, boolean]>([
    ['one of several values', { eventName: ['INSERT', 'MODIFY'] }, true],
    ['another value', { eventName: ['REMOVE'] }, false],
    ['a nested value', { dynamodb: { Keys: { sk: { S: ['HEAD'] } } } }, true],
    ['all fields, of which one differs', { eventName: ['MODIFY'], dynamodb: { Keys: { sk: { S: ['C#1'] } } } }, false],
    ['a field below one that is absent', { dynamodb: { OldImage: { n: ['x'] } } }, false],
    ['a prefix', { dynamodb: { Keys: { sk: { S: [{ prefix: 'HE' }] } } } }, true],
    ['an item of a list', { dynamodb: { NewImage: { tags: ['b'] } } }, true],
  ])('on %s: %j is %s', (_what, pattern, expected) => {
    expect(parseFilter(JSON.stringify(pattern))(head)).toBe(expected);
  });

  it.each(['[]', '{"a":"x"}', '{"a":[{"exists":true}]}', '{"a":[{"prefix":1}]}'])(
    'an unsupported filter pattern is refused: %s',
    (pattern) => {
      expect(() => parseFilter(pattern)).toThrow(/filter/);
    },
  );
});
