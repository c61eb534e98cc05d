import { describe, expect, it } from 'vitest';
import { stackUsers } from './stack-users.ts';

describe('Users of a stack that has them itself', () => {
  const ann = { user: 'ann', password: 'a long password' };
  const stack = (answers: Readonly<Record<string, object>>) => {
    const calls: unknown[] = [];
    const invoke = async (name: string, event: unknown) => {
      calls.push([name, event]);
      return answers[(event as { operation: string }).operation];
    };
    const users = stackUsers({ template: { outputs: { ManageUsers: 'users-function' } }, invoke });
    return { calls, ensure: users.ensureUser, renew: users.renewToken };
  };

  it('a user that is there gets the password', async () => {
    const { calls, ensure } = stack({ password: ann });
    await ensure(ann);
    expect(calls).toEqual([['users-function', { operation: 'password', ...ann }]]);
  });

  it('a user that is not there is made', async () => {
    const { calls, ensure } = stack({ password: { error: 'There is no user ann.' }, add: ann });
    await ensure(ann);
    expect(calls).toHaveLength(2);
  });

  it('an API token takes the place of the one of its name; with too many of them it is the password', async () => {
    const { calls, renew } = stack({ revoke: { revoked: true }, token: { name: 'git-push', token: 'dwt_1' } });
    expect(await renew(ann, 'git-push')).toBe('dwt_1');
    const named = { user: 'ann', name: 'git-push' };
    expect(calls).toEqual(['revoke', 'token'].map((operation) => ['users-function', { operation, ...named }]));
    const full = stack({ revoke: { revoked: false }, token: { error: 'A user has at most 200 API tokens.' } });
    expect(await full.renew(ann, 'git-push')).toBe(ann.password);
  });

  it('a user that cannot be made ends the start, with the reason', async () => {
    const { ensure } = stack({ password: { error: 'none' }, add: { error: 'The name is too long.' } });
    await expect(ensure(ann)).rejects.toThrow('The user ann could not be made: The name is too long.');
  });
});
