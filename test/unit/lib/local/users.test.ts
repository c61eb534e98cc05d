import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openStores } from '../../../../functions/adapters/stores/sqlite/open.ts';
import { systemClock } from '../../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../../functions/adapters/system/ids.ts';
import { engineUsers } from '../../../../lib/engine/users.ts';
import { configFile } from '../../../../lib/local/config/config.ts';
import { addUser, readLogin, removeUser, setPassword } from '../../../../lib/local/config/users.ts';
import { applyUsers, usersVersion, watchUsers } from '../../../../lib/local/config/watch-users.ts';
import { newFolder } from '../../../support/new-folder.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder('users');
});

/** The users of a service that starts on the folder. */
function started() {
  const stores = openStores({ path: join(dataDir, 'service.db'), clock: systemClock, ids: systemIds });
  onTestFinished(() => stores.close());
  const users = engineUsers(stores.users, systemClock);
  const mayLogIn = (user: string, secret: string) =>
    users.accounts.authenticate(user, secret).then(
      () => true,
      () => false,
    );
  return { users, accounts: users.accounts, mayLogIn, close: stores.close };
}

describe('the users of the configuration', () => {
  it('are those of the service, with their passwords, and no others', async () => {
    const { users, mayLogIn } = started();
    const ann = addUser(dataDir, 'ann');
    await users.ensure({ user: 'eve', password: 'of an earlier time' });
    expect(await applyUsers(dataDir, users)).toEqual(['demo', 'ann']);
    expect(await mayLogIn('ann', ann.password)).toBe(true);
    expect(await mayLogIn('demo', readLogin(dataDir).password)).toBe(true);
    expect(await mayLogIn('eve', 'of an earlier time')).toBe(false);
  });

  it('are all kept while there is no configuration file, which an editor may have moved away', async () => {
    const { users, mayLogIn } = started();
    const ann = addUser(dataDir, 'ann');
    await applyUsers(dataDir, users);
    rmSync(configFile(dataDir));
    expect(await applyUsers(dataDir, users)).toEqual(['ann', 'demo']);
    expect(await mayLogIn('ann', ann.password)).toBe(true);
  });

  it('have no password with the form of an API token, which is said', async () => {
    addUser(dataDir, 'ann', `dwt_${'a'.repeat(40)}`);
    const sentence =
      'The user ann has no login: A password has 1 to 1024 characters, and not the form of an API token.';
    await expect(applyUsers(dataDir, started().users)).rejects.toThrow(sentence);
  });

  it('are taken in while the service runs; what cannot be read, and a part that fails, is warned of', async () => {
    const { users, mayLogIn } = started();
    const [named, warnings]: [(readonly string[])[], string[]] = [[], []];
    const seen = usersVersion(dataDir);
    const { password } = addUser(dataDir, 'ann');
    const end = watchUsers(dataDir, {
      seen,
      users,
      changing: () => {},
      changed: [() => Promise.reject(new Error('one part')), async (names) => void named.push(names)],
      warn: (sentence) => warnings.push(sentence),
    });
    await expect.poll(() => mayLogIn('ann', password)).toBe(true);
    setPassword(dataDir, 'ann', 'another password');
    await expect.poll(() => mayLogIn('ann', password)).toBe(false);
    expect(await mayLogIn('ann', 'another password')).toBe(true);
    writeFileSync(configFile(dataDir), '{');
    await expect.poll(() => warnings.join()).toContain('is not JSON');
    expect(await mayLogIn('ann', 'another password')).toBe(true);
    writeFileSync(configFile(dataDir), '{"users": ["ann"]}');
    removeUser(dataDir, 'ann');
    await expect.poll(() => named.at(-1)).toEqual(['demo']);
    expect(await mayLogIn('ann', 'another password')).toBe(false);
    expect(warnings).toContain('one part');
    await end();
  });
});
