import { type Call, EXIT } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import { columns } from '../text.ts';
import { openAccount } from './account.ts';
import { type StackUsers, stackUsers } from './manage-users.ts';
import { findStack, stackNamed } from './stack.ts';

/** Prints the users and the names of their tokens. */
export async function listUsers(call: Call): Promise<number> {
  const { args, print, warn } = call;
  const users = await (await usersOf(call)).list();
  if (args.flag('json')) for (const user of users) print(JSON.stringify(user));
  else {
    const rows = users.map(({ user, tokens }) => [user, tokens.map(({ name }) => name).join(', ') || '(no tokens)']);
    for (const line of columns(rows)) print(line);
  }
  if (users.length === 0) warn('There are no users: "npm run users -- add <name>" adds one.');
  return EXIT.ok;
}

/** Adds a user and prints the password on a separate line, as `setPassword` does. */
export async function addUser(call: Call): Promise<number> {
  return printSecret(call, await (await usersOf(call)).add(nameIn(call), await chosen(call)), 'password');
}

export async function setPassword(call: Call): Promise<number> {
  return printSecret(call, await (await usersOf(call)).setPassword(nameIn(call), await chosen(call)), 'password');
}

/** Makes an API token and prints it. */
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
  await confirm(call, user);
  if (!(await users.remove(user))) throw new Failure(`There is no user ${user}.`);
  call.print(`${user} is removed, with all tokens. The applications stay.`);
  return EXIT.ok;
}

async function usersOf(call: Call): Promise<StackUsers> {
  const name = stackNamed(call);
  const account = await openAccount(call);
  const stack = await findStack(account, name);
  const where = `account ${account.id}, ${account.region}`;
  if (!stack) throw new Failure(`There is no stack ${name} in ${where}: "npm run deploy" makes it.`);
  const users = stackUsers(account.lambda, stack);
  if (users) return users;
  throw new Failure(`The stack in ${where} uses the platform at ${stack.parameters.PlatformUrl}, which has the users.`);
}

function nameIn({ args }: Call): string {
  return args.at(0) ?? '';
}

/** A password is never an argument: other users of the machine see the arguments of a process. */
async function chosen({ args, stdin }: Call): Promise<string | undefined> {
  if (!args.flag('password-stdin')) return undefined;
  const given = stdin.isTTY
    ? await stdin.ask('Password (not shown): ', { hidden: true })
    : (await stdin.read()).replace(/\r?\n$/, '');
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

async function confirm({ args, stdin }: Call, user: string): Promise<void> {
  if (args.flag('yes')) return;
  if (!stdin.isTTY) throw new UsageError('There is no terminal to ask at: --yes removes without asking.');
  const answer = await stdin.ask(`This ends the login and the tokens of ${user}. Type the name to go on: `);
  if (answer.trim() !== user) throw new Failure('Nobody was removed: that is not the name.');
}
