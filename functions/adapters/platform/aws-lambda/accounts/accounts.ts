import { DeployError, failsAs } from '../../../../core/errors.ts';
import { isObject } from '../../../../core/json.ts';
import type { Account, Accounts } from '../../../../core/ports/accounts.ts';
import type { UserItem } from '../table/items.ts';
import type { PlatformTable } from '../table/table.ts';
import { checkLogin, isUserName, userKeys } from './user-items.ts';

export function tableAccounts({ table }: { readonly table: PlatformTable }): Accounts {
  return {
    authenticate: async (user, secret) => {
      const login = await checkLogin(table, user, secret).catch(
        failsAs('mw:auth:auth_server_down', 'The user could not be looked up in time; try again.'),
      );
      if (!login) throw unauthorized();
      return { user, record: usableRecord(login.item) };
    },
    read: async (user) => {
      const item = isUserName(user)
        ? await table.read(userKeys.user(user)).catch(failsAs('auth:repohost:get_user_failed', NO_ANSWER))
        : null;
      if (item) return { user, record: recordIn(item) };
      throw new DeployError('auth:repohost:get_user_failed', 'There is no such user.', { retry: false });
    },
    update: ({ user, record }) => update(table, { user, record }),
  };
}

async function update(table: PlatformTable, { user, record }: Account): Promise<void> {
  const code = 'auth:repohost:update_user_failed';
  const changes = { record };
  const isDone =
    isUserName(user) &&
    (await table.write(userKeys.user(user), changes, { exists: true }).catch(failsAs(code, NO_ANSWER)));
  if (!isDone) throw new DeployError(code, 'There is no such user.', { retry: false });
}

function usableRecord(item: UserItem): Account['record'] {
  const record = recordIn(item);
  if (typeof record.username === 'string' && record.username !== '') return record;
  throw new DeployError('mw:auth:no_username', 'The login is valid, but the user record has no username.');
}

function recordIn({ record }: UserItem): Account['record'] {
  return isObject(record) ? record : {};
}

function unauthorized(): DeployError {
  return new DeployError(
    'mw:auth:unauthorized',
    'Check the user name and the password or API token; a token may be revoked.',
  );
}

const NO_ANSWER = 'The table of users did not answer in time; try again.';
