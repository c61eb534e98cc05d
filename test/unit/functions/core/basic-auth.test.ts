import { describe, expect, it } from 'vitest';
import { basicHeader, decodePercent, percentDecoded, readBasic } from '../../../../functions/core/basic-auth.ts';

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
const basic = (text: string | Uint8Array) => `Basic ${base64(text)}`;

describe('the Authorization header', () => {
  it('contains user and secret', () => {
    expect(readBasic(basic('kiwi:secret'))).toEqual({ user: 'kiwi', secret: 'secret' });
  });

  it('is split at the first colon only', () => {
    expect(readBasic(basic('kiwi:a:b:'))).toEqual({ user: 'kiwi', secret: 'a:b:' });
  });

  it('is read as UTF-8', () => {
    expect(readBasic(basic('jürgen:pässwört🥝'))).toEqual({ user: 'jürgen', secret: 'pässwört🥝' });
  });

  it('may have its scheme in any case and surrounding spaces', () => {
    const expected = { user: 'kiwi', secret: 'secret' };
    expect(readBasic(`bASIC   ${base64('kiwi:secret')}`)).toEqual(expected);
    expect(readBasic(`  Basic ${base64('kiwi:secret')} `)).toEqual(expected);
  });

  it('may lack its padding', () => {
    expect(base64('kiwi:secret')).toMatch(/=$/);
    expect(readBasic(basic('kiwi:secret').replaceAll('=', ''))).toEqual({ user: 'kiwi', secret: 'secret' });
  });

  it('may be written in the URL-safe alphabet', () => {
    const encoded = base64('kiwi:>>>???');
    expect(encoded).toMatch(/[+/]/);
    const urlSafe = encoded.replaceAll('+', '-').replaceAll('/', '_');
    expect(readBasic(`Basic ${urlSafe}`)).toEqual({ user: 'kiwi', secret: '>>>???' });
  });

  it.each([
    ['is absent', undefined],
    ['is empty', ''],
    ['has another scheme', `Bearer ${base64('kiwi:secret')}`],
    ['has a scheme that only begins alike', `Basically ${base64('kiwi:secret')}`],
    ['has nothing after the scheme', 'Basic '],
    ['is not base64', 'Basic kiwi:secret'],
    ['holds two credentials', `${basic('kiwi:secret')}, ${basic('melon:secret')}`],
    ['has no colon', basic('kiwi')],
    ['has an empty user', basic(':secret')],
    ['has an empty secret', basic('kiwi:')],
    ['is not UTF-8', basic(Buffer.from([0x6b, 0x3a, 0xff, 0xfe]))],
    ['holds a control character', basic('kiwi:sec\u0000ret')],
    ['holds a line end', basic('kiwi\r\n:secret')],
  ])('is read as null when it %s', (_why, header) => {
    expect(readBasic(header)).toBeNull();
  });

  it('is read as it was built', () => {
    const header = basicHeader('jürgen:a:b');
    expect(header).toBe('Basic asO8cmdlbjphOmI=');
    expect(readBasic(header)).toEqual({ user: 'jürgen', secret: 'a:b' });
  });
});

describe('percent-escapes in credentials', () => {
  it('are decoded in user and secret', () => {
    expect(percentDecoded({ user: 'k%40iwi', secret: 'a%3Ab' })).toEqual({ user: 'k@iwi', secret: 'a:b' });
  });

  it('return null when there are none', () => {
    expect(percentDecoded({ user: 'kiwi', secret: 'secret+' })).toBeNull();
  });

  it('are kept in the part where they are malformed', () => {
    expect(percentDecoded({ user: 'k%40iwi', secret: '100%' })).toEqual({ user: 'k@iwi', secret: '100%' });
  });

  it('return null when they are malformed in both parts', () => {
    expect(decodePercent('%E0%A4%A')).toBeNull();
  });
});
