import { expect, it } from 'vitest';
import { preferredWait } from '../../../../functions/core/parameters.ts';

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
