import { describe, expect, it } from 'vitest';
import { decodePercent, percentDecoded } from '../../../../functions/authorize/credentials.ts';

describe('percent-escapes', () => {
  it('are undone in user and secret', () => {
    expect(percentDecoded({ user: 'k%40iwi', secret: 'a%3Ab' })).toEqual({ user: 'k@iwi', secret: 'a:b' });
  });

  it('give nothing when there are none', () => {
    expect(percentDecoded({ user: 'kiwi', secret: 'secret+' })).toBeNull();
  });

  it('stay in the part where they cannot be read', () => {
    expect(percentDecoded({ user: 'k%40iwi', secret: '100%' })).toEqual({ user: 'k@iwi', secret: '100%' });
  });

  it('that cannot be read give null', () => {
    expect(decodePercent('%E0%A4%A')).toBeNull();
  });
});
