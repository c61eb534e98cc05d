import { expect, it } from 'vitest';
import {
  escaped,
  printable,
  printableJson,
  printableLine,
  printableValue,
} from '../../../../lib/terminal/printable.ts';

const evil = 'a\u001b[2Jb\u009b1mc\r\nd\u202ee\u2066f\u200fg\u061ch';

it('text is printable on one line: without sequences, control characters and direction marks', () => {
  expect(printable(evil)).toBe('abc defgh');
});

it('a line of output keeps its tabs', () => {
  expect(printableLine('a\tb\u0007c')).toBe('a\tb c');
});

it('a value of JSON is printable with the names of its fields', () => {
  expect(printableValue({ 'x\u202e': ['\u0000', 1, null, { y: evil }] })).toEqual({
    x: [' ', 1, null, { y: 'abc defgh' }],
  });
});

it('JSON with escapes is the same value', () => {
  const json = printableJson({ evil, del: '\u007f' });

  expect(json).toMatch(/^[ -~]+$/);
  expect(JSON.parse(json)).toEqual({ evil, del: '\u007f' });
});

it('escaped text keeps its lines', () => {
  expect(escaped('a\u202e\nb\u001b')).toBe('a\\u202e\nb\\u001b');
});
