import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine } from '../../../../functions/core/text.ts';

describe('one line of a string from outside', () => {
  it('is the first one that is not blank', () => {
    expect(oneLine('\n\n  subject  \r\n\r\nbody', 50)).toBe('subject');
    expect(oneLine('subject\u2028body', 50)).toBe('subject');
    expect(oneLine(' \t\u0000\n', 50)).toBeNull();
  });

  it('is cut between characters and says so', () => {
    expect(oneLine('🚀🚀🚀🚀', 4)).toBe('🚀🚀🚀🚀');
    expect(oneLine('🚀🚀🚀🚀🚀', 4)).toBe('🚀🚀🚀…');
    expect(oneLine('word next', 6)).toBe('word…');
  });

  it('holds neither control characters nor direction marks nor lone surrogates, whatever came in', () => {
    const anyText = fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, max) => {
        const line = oneLine(text, max) ?? '…';
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
        expect(Array.from(line).length).toBeLessThanOrEqual(max);
      }),
    );
  });
});
