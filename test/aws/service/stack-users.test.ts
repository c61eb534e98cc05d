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
    return { calls, ensure: users.ensure };
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

  it('a user that cannot be made ends the start, with the reason', async () => {
    const { ensure } = stack({ password: { error: 'none' }, add: { error: 'The name is too long.' } });
    await expect(ensure(ann)).rejects.toThrow('The user ann could not be made: The name is too long.');
  });
});
