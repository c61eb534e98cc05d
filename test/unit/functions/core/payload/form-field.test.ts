import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeField } from '../../../../../functions/core/payload/payload.ts';

const expected = (encoded: string) => new URLSearchParams(`field=${encoded}`).get('field');

describe('the value of a field of a form', () => {
  it.each([
    '',
    'a+b',
    '%7B%22a%22%3A1%7D',
    '%c3%a9%20é',
    '%',
    '%%',
    '%4',
    '%4g',
    '%g4',
    '100%',
    '%EF%BB%BFx',
    '%ff%fe',
    '%2B+',
  ])('is what browsers make of it: %j', (encoded) => expect(decodeField(encoded)).toBe(expected(encoded)));

  it('is decoded as browsers do, for any ASCII text', () => {
    const piece = fc.oneof(
      fc.constantFrom('%', '+', '%7b', '%C3', '%A9', '%f', '%EF%BB%BF', '%00'),
      fc.string({ unit: 'binary-ascii' }),
    );
    const encoded = fc.array(piece).map((pieces) => pieces.join('').replaceAll('&', ''));
    fc.assert(
      fc.property(encoded, (text) => decodeField(text) === expected(text)),
      { numRuns: 500 },
    );
  });

  // Node's URLSearchParams gives U+FFFD for the é as well; a form does not hold it, but for one made by hand.
  it.each([
    ['é%A9', 'é\ufffd'],
    ['%C3é', '\ufffdé'],
    ['é%41 🚀', 'éA 🚀'],
    ['\ud800%41', '\ufffdA'],
  ])('is decoded by its bytes where it was not encoded: %j', (encoded, decoded) => {
    expect(decodeField(encoded)).toBe(decoded);
  });
});
