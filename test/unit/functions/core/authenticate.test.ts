import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../../functions/core/basic-auth.ts';
import { isStillUser } from '../../../../functions/core/login.ts';
import { memoryAccounts } from '../../../fakes/accounts.ts';

const accounts = () => memoryAccounts([{ user: 'ann', secrets: ['s3cret', 'to/ken'] }]);
const login = basicHeader('ann:s3cret');

describe('a login that was let in before', () => {
  it('is valid until its secret is revoked', async () => {
    const at = accounts();
    expect(await isStillUser(at, 'ann', login)).toBe(true);
    expect(await isStillUser(at, 'ann', basicHeader('ann:to%2Fken'))).toBe(true);
    at.revoke('ann', 's3cret');
    expect(await isStillUser(at, 'ann', login)).toBe(false);
  });

  it('is not that of another user, and not none', async () => {
    expect(await isStillUser(accounts(), 'bob', login)).toBe(false);
    expect(await isStillUser(accounts(), 'ann', undefined)).toBe(false);
  });

  it('is taken for valid while the authentication server does not answer', async () => {
    const at = accounts();
    at.setDown(true);
    expect(await isStillUser(at, 'ann', login)).toBe(true);
  });
});
