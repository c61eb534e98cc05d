import type { Call } from '../../command.ts';
import { loginFile, readLogin, type StoredLogin, writeLogin } from '../../service/stored-login.ts';
import type { StackUsers } from '../manage-users.ts';

/** The tokens of the first user: each can be revoked without the other. */
const WEBHOOK_TOKEN = 'webhook';
const CLI_TOKEN = 'command-line';

export interface FirstUserOptions {
  readonly users: StackUsers;
  /** Address of the service. */
  readonly url: string;
  readonly name: string;
}

/**
 * Adds the first user of a service that has none, with an API token for webhooks and one for the command line, and
 * prints each secret this once. Returns the login, which is stored unless there is one for another service; null when
 * there are users.
 */
export async function firstUser(call: Call, { users, url, name }: FirstUserOptions): Promise<StoredLogin | null> {
  if ((await users.list()).length > 0) return null;
  const { print, env } = call;
  const password = await users.add(name);
  // At once: a later failure must not lose it.
  print('');
  print('The first user, shown this once:');
  print(`  user              ${name}`);
  print(`  password          ${password}`);
  const token = await users.makeToken(name, WEBHOOK_TOKEN);
  print(`  token, webhooks   ${token}`);
  const login = { url, user: name, secret: await users.makeToken(name, CLI_TOKEN) };
  const stored = await readLogin(env).catch(() => null);
  if (stored && stored.url !== url) {
    print(`  token, hooks      ${login.secret}`);
    print(`"hooks" still calls ${stored.url}, as ${loginFile(env)} says; "hooks login --url ${url}" changes that.`);
  } else {
    print(`"hooks" is logged in with its own token, in ${await writeLogin(env, login)}.`);
  }
  return login;
}
