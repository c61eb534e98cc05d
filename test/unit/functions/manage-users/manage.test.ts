import { describe, expect, it, vi } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import type { Users } from '../../../../functions/core/ports/accounts.ts';
import { manage } from '../../../../functions/manage-users/manage.ts';
import { operatorTrigger } from '../../../../functions/triggers/operator.ts';

const users: Users = {
  list: async () => [{ user: 'ann', tokens: [] }],
  add: async (user, password = 'made') => ({ user, password }),
  setPassword: async (user, password = 'made') => ({ user, password }),
  makeToken: async (user, name) => {
    if (name === '') throw new DeployError('request:bad_parameter', 'A name is needed.');
    return { user, name, token: 'dwt_1' };
  },
  revokeToken: async () => true,
  remove: async () => false,
};

describe('what an operator asks for', () => {
  const handler = operatorTrigger((request) => manage(request, users));

  it.each([
    [{ operation: 'list' }, { users: [{ user: 'ann', tokens: [] }] }],
    [
      { operation: 'add', user: 'ann' },
      { user: 'ann', password: 'made' },
    ],
    [
      { operation: 'add', user: 'ann', password: 'chosen' },
      { user: 'ann', password: 'chosen' },
    ],
    [
      { operation: 'password', user: 'ann' },
      { user: 'ann', password: 'made' },
    ],
    [
      { operation: 'token', user: 'ann', name: 'hook' },
      { user: 'ann', name: 'hook', token: 'dwt_1' },
    ],
    [{ operation: 'revoke', user: 'ann', name: 'hook' }, { revoked: true }],
    [{ operation: 'remove', user: 'ann' }, { removed: false }],
  ])('is done: %j', async (request, answer) => {
    expect(await handler(request)).toEqual(answer);
  });

  it.each([
    [{ operation: 'token', user: 'ann' }, 'A name is needed.'],
    [{ operation: 'toString', user: 'ann' }, 'The operation is one of list, add, password, token, revoke, remove.'],
    [undefined, 'The operation is one of list, add, password, token, revoke, remove.'],
  ])('is refused in one sentence: %j', async (request, error) => {
    expect(await handler(request)).toEqual({ error });
  });

  it('is in no log, also when it fails', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const away = { ...users, add: () => Promise.reject(new Error('The table is away.')) };
    const down = operatorTrigger((request) => manage(request, away));
    await expect(down({ operation: 'add', user: 'ann', password: 'a long password' })).rejects.toThrow('away');
    expect(JSON.stringify(log.mock.calls)).not.toContain('a long password');
    log.mockRestore();
  });
});
