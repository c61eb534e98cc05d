import { describe, expect, it } from 'vitest';
import { hashPassword, isPassword } from '../../../../functions/core/secrets.ts';
import { derived } from '../../../support/cheap-passwords.ts';

const salt = Buffer.from('0123456789abcdef');

describe('a password', () => {
  it('is known again by its hash, which another salt changes', async () => {
    const stored = await hashPassword('correct horse', salt);
    expect([await isPassword('correct horse', stored), await isPassword('wrong', stored)]).toEqual([true, false]);
    expect((await hashPassword('correct horse', Buffer.from('another'))).hash).not.toBe(stored.hash);
  });

  it('costs what OWASP asks for, also for a user that does not exist', async () => {
    const before = derived.length;
    await hashPassword('correct horse', salt);
    expect(await isPassword('correct horse', undefined)).toBe(false);
    const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
    expect(derived.slice(before)).toEqual([cost, cost]);
  });
});
