import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openStores } from '../../../../functions/adapters/stores/sqlite/open.ts';
import { systemClock } from '../../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../../functions/adapters/system/ids.ts';
import { hashPassword } from '../../../../functions/core/secrets.ts';
import { engineUsers } from '../../../../lib/engine/users.ts';
import { configFile } from '../../../../lib/local/config/config.ts';
import { addUser, readLogin, removeUser, setPassword } from '../../../../lib/local/config/users.ts';
import { applyUsers, watchUsers } from '../../../../lib/local/config/watch-users.ts';
import { takeOverUsers } from '../../../../lib/local/earlier-users.ts';
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

  it('are taken in while the service runs, and a configuration that cannot be read is warned of', async () => {
    const { users, mayLogIn } = started();
    const [named, warnings]: [(readonly string[])[], string[]] = [[], []];
    const end = watchUsers(dataDir, {
      users,
      changing: () => {},
      changed: [async (names) => void named.push(names)],
      warn: (sentence) => warnings.push(sentence),
    });
    const { password } = addUser(dataDir, 'ann');
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
    await end();
  });
});

/** As version 1.0.0 has written it, for the password `correct horse`. */
const ANN = `{
  "record": {
    "username": "ann",
    "repohost_pairings": [
      {
        "host": "github",
        "login": "octo",
        "app": "*",
        "scopes": [
          "repo"
        ],
        "expires_at": null
      }
    ]
  },
  "password": {
    "salt": "QZFRwCK07AHDMi_DXsPhjQ",
    "hash": "3IWaWh3-TRhfCL_ArRpdRcyWkbkDU37oAYznwtB7ZZc"
  },
  "tokens": [
    {
      "name": "github",
      "hash": "1GKxxxANFGzwr2RBlGlqA9Zm7a4sDErpbMYthIE8oJk",
      "created_at": "2026-11-26T21:01:59.126Z"
    }
  ],
  "thirdparty": []
}
`;
const TOKEN = 'dwt_3e0cb261c6ae5f8ea7e102b0498593a445ed7b56';

describe('a data folder of version 1.0.0', () => {
  const folder = () => join(dataDir, 'platform', 'users');
  const write = (name: string, content: string) => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), name), content);
  };
  // Passwords are cheap in tests, and so have other hashes.
  const writeAnn = async () => {
    const { salt, hash } = JSON.parse(ANN).password;
    const cheap = await hashPassword('correct horse', Buffer.from(salt, 'base64url'));
    expect(cheap.salt).toBe(salt);
    write('ann.json', ANN.replace(hash, cheap.hash));
  };
  const start = async () => {
    const service = started();
    const warnings: string[] = [];
    await takeOverUsers(dataDir, service.users, (sentence) => void warnings.push(sentence));
    return { ...service, warnings };
  };

  it('is taken over with passwords, API tokens and records, and its files stay until the second start', async () => {
    await writeAnn();
    const first = await start();
    expect(await first.mayLogIn('ann', 'correct horse')).toBe(true);
    expect(await first.mayLogIn('ann', TOKEN)).toBe(true);
    expect((await first.accounts.read('ann')).record).toEqual(JSON.parse(ANN).record);
    expect(existsSync(join(folder(), 'ann.json'))).toBe(true);
    await first.users.revokeToken('ann', 'github');
    await first.close();
    const second = await start();
    expect(existsSync(folder())).toBe(false);
    expect(await second.mayLogIn('ann', 'correct horse')).toBe(true);
    expect(await second.mayLogIn('ann', TOKEN)).toBe(false);
  });

  it('gives no user back who was removed before the second start', async () => {
    await writeAnn();
    const first = await start();
    await first.users.ensure({ user: 'demo', password: 'secret' });
    await first.users.remove('ann');
    await first.close();
    expect(await (await start()).mayLogIn('ann', 'correct horse')).toBe(false);
  });

  it('is taken over but for a damaged file, which is named, and unfinished ones', async () => {
    await writeAnn();
    write('eve.json', '{"record": tru');
    write('ann.json.0123456789ab.tmp', '{"rec');
    const { warnings, mayLogIn } = await start();
    expect(warnings).toEqual([expect.stringMatching(/eve\.json is damaged: eve keeps the password/)]);
    expect(await mayLogIn('ann', TOKEN)).toBe(true);
  });
});
