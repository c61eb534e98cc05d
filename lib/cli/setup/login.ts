import { readSecret } from '../ask.ts';
import { type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { Failure } from '../errors.ts';
import { address } from '../service/address.ts';
import { api } from '../service/api.ts';
import { deleteLogin, loginFile, type StoredLogin, writeLogin } from '../service/stored-login.ts';

export const login: CommandDefinition = {
  name: 'login',
  summary: 'Store the login of a service for all other commands',
  details: `Asks for the address, the user name and the password or API token, tries them, and stores them in a file that only you
can read. An API token is the better secret, because it can be revoked: "hooks tokens create".
The service that runs on this machine needs no login.`,
  options: [...SERVICE_OPTIONS],
  examples: [
    ['hooks login', 'asks for everything'],
    ['hooks login --url https://deploy.example.com --user ann < token.txt', 'the secret comes from a file'],
  ],
  run: async (call) => {
    const given = await ask(call);
    const client = api({ ...given, from: 'this login' }, call.signal);
    await client.call({ path: ['status', given.user, 'webhooks'], query: { limit: 1 } });
    const file = await writeLogin(call.env, given);
    call.print(`Logged in to ${given.url} as ${given.user}; the login is in ${file}.`);
    return 0;
  },
};

async function ask({ args, env, stdin }: Call): Promise<StoredLogin> {
  const named = { url: args.text('url') ?? env.HOOKS_URL, user: args.text('user') ?? env.HOOKS_USER };
  const url = address(named.url || (await stdin.ask('Address of the service: ')).trim(), 'the service');
  const user = named.user || (await stdin.ask('User name: ')).trim();
  const secret = await readSecret({ stdin }, 'Password or API token');
  if (user === '' || secret === '') throw new Failure('A user name and a secret are needed.');
  return { url, user, secret };
}

export const logout: CommandDefinition = {
  name: 'logout',
  summary: 'Delete the stored login',
  details: 'An API token stays valid: "hooks tokens revoke <name>" ends it.',
  examples: [['hooks logout', 'the other commands ask this machine again, or HOOKS_URL']],
  run: async ({ env, print }) => {
    const had = await deleteLogin(env);
    print(had ? `The login in ${loginFile(env)} is deleted.` : 'There was no login.');
    return 0;
  },
};
