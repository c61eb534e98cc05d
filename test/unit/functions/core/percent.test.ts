import { describe, expect, it } from 'vitest';
import { decodePercent, percentDecoded } from '../../../../functions/core/basic-auth.ts';

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
