import { confirmName, readSecret } from '../ask.ts';
import { type Call, EXIT } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import { printList } from '../text.ts';
import { type StackUser, type StackUsers, stackUsers } from './manage-users.ts';
import { openStack } from './stack.ts';

export async function listUsers(call: Call): Promise<number> {
  const rows = await (await usersOf(call)).list();
  const cells = ({ user, tokens }: StackUser) => [user, tokens.map(({ name }) => name).join(', ') || '(no tokens)'];
  const none = 'There are no users: "npm run users -- add <name>" adds one.';
  return printList(call, { rows, cells, json: rows.map((one) => JSON.stringify(one)), none });
}

/** Adds a user and prints the password on a separate line, as `setPassword` does. */
export async function addUser(call: Call): Promise<number> {
  return printSecret(call, await (await usersOf(call)).add(nameIn(call), await chosen(call)), 'password');
}

export async function setPassword(call: Call): Promise<number> {
  return printSecret(call, await (await usersOf(call)).setPassword(nameIn(call), await chosen(call)), 'password');
}

export async function makeToken(call: Call): Promise<number> {
  const token = await (await usersOf(call)).makeToken(nameIn(call), call.args.at(1) ?? '');
  return printSecret(call, token, 'token');
}

export async function revokeToken(call: Call): Promise<number> {
  const [user, token] = [nameIn(call), call.args.at(1) ?? ''];
  if (!(await (await usersOf(call)).revokeToken(user, token))) throw new Failure(`${user} has no token ${token}.`);
  call.print(`The token ${token} of ${user} is revoked.`);
  return EXIT.ok;
}

/** Removes a user after a question. */
export async function removeUser(call: Call): Promise<number> {
  const user = nameIn(call);
  const users = await usersOf(call);
  await confirmName(call, user, `This ends the login and the tokens of ${user}.`);
  if (!(await users.remove(user))) throw new Failure(`There is no user ${user}.`);
  call.print(`${user} is removed, with all tokens. The applications stay.`);
  return EXIT.ok;
}

async function usersOf(call: Call): Promise<StackUsers> {
  const { account, stack } = await openStack(call);
  return stackUsers(account.lambda, stack);
}

function nameIn({ args }: Call): string {
  return args.at(0) ?? '';
}

async function chosen({ args, stdin }: Call): Promise<string | undefined> {
  if (!args.flag('password-stdin')) return undefined;
  const given = await readSecret({ stdin }, 'Password');
  if (given === '') throw new UsageError('--password-stdin reads a password, and there was none.');
  return given;
}

/** A password that was chosen is not printed. */
function printSecret({ args, print, warn }: Call, secret: string, kind: 'password' | 'token'): number {
  if (args.flag('password-stdin')) print('Done.');
  else print(secret);
  if (!args.flag('password-stdin')) warn(`This is the only time that the ${kind} is shown.`);
  return EXIT.ok;
}
