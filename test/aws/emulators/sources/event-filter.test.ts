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
    ['a suffix', { dynamodb: { Keys: { sk: { S: [{ suffix: 'X' }] } } } }, false],
    ['existence', { dynamodb: { Keys: { pk: { S: [{ exists: true }] } } } }, true],
    ['absence', { dynamodb: { OldImage: { n: [{ exists: false }] } } }, true],
    ['anything but', { eventName: [{ 'anything-but': ['REMOVE'] }] }, true],
    ['anything but, which it is', { eventName: [{ 'anything-but': ['MODIFY'] }] }, false],
    ['whatever the case', { eventName: [{ 'equals-ignore-case': 'modify' }] }, true],
    ['a range', { dynamodb: { NewImage: { n: [{ numeric: ['>', 0, '<=', 5] }] } } }, true],
    ['a range that it is outside of', { dynamodb: { NewImage: { n: [{ numeric: ['<', 5] }] } } }, false],
    ['an item of a list', { dynamodb: { NewImage: { tags: ['b'] } } }, true],
    ['one of two patterns', { $or: [{ eventName: ['REMOVE'] }, { eventName: ['MODIFY'] }] }, true],
  ])('on %s: %j is %s', (_what, pattern, expected) => {
    expect(parseFilter(JSON.stringify(pattern))(head)).toBe(expected);
  });

  it.each(['[]', '{"a":"x"}', '{"a":[{"cidr":"10.0.0.0/8"}]}', '{"a":[{"numeric":["~",1]}]}', '{"$or":{}}'])(
    'an unsupported filter pattern is refused: %s',
    (pattern) => {
      expect(() => parseFilter(pattern)).toThrow(/filter|numeric/);
    },
  );
});
