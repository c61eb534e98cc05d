import { addUser, listUsers, passwordFile, removeUser, setPassword } from '../../local/config/users.ts';
import { confirmName, readSecret } from '../ask.ts';
import { type Call, type CommandDefinition, JSON_OPTION } from '../command.ts';
import { UsageError } from '../errors.ts';
import { ownDataFolder } from '../service/data-folder.ts';
import { printList } from '../text.ts';

const list: CommandDefinition = {
  name: 'list',
  summary: 'List the users of the service on this machine',
  options: [JSON_OPTION],
  examples: [['hooks users', 'the names, and where each password is']],
  run: async (call) => {
    const dataDir = await ownDataFolder(call.env);
    const rows = listUsers(dataDir).map((name) => ({ name, password_file: passwordFile(dataDir, name) }));
    const cells = (one: (typeof rows)[number]) => [one.name, `password in ${one.password_file}`];
    return printList(call, { rows, cells, json: rows.map((one) => JSON.stringify(one)) });
  },
};

const add: CommandDefinition = {
  name: 'add',
  summary: 'Add a user, with their own log, applications and repositories',
  details: `The password is asked for or read from standard input; when that is empty, one is made up. A service that runs takes the
user in within seconds.`,
  args: [{ name: '<name>', about: 'letters, digits and dashes' }],
  examples: [
    ['hooks users add ann', 'asks for a password'],
    ['hooks users add ann < /dev/null', 'makes one up'],
  ],
  run: (call) => change(call, addUser, 'is added; the password is in'),
};

const password: CommandDefinition = {
  name: 'password',
  summary: 'Change the password of a user',
  details: 'Asked for or read from standard input; when that is empty, one is made up. API tokens stay valid.',
  args: [{ name: '<name>', about: 'a name that "hooks users" lists' }],
  examples: [['hooks users password ann', 'asks for the new password']],
  run: (call) => change(call, setPassword, 'has a new password, in'),
};

const remove: CommandDefinition = {
  name: 'remove',
  summary: 'Remove a user: the login and all tokens end, the applications stop',
  details: `Asks for the name. Repositories, files of applications and entries of the log stay in the data folder. A service that runs
does it within a minute.`,
  args: [{ name: '<name>', about: 'a name that "hooks users" lists' }],
  options: [{ flags: '--yes', about: 'do not ask' }],
  examples: [['hooks users remove ann', 'asks to type "ann"']],
  run: async (call) => {
    const name = call.args.at(0) ?? '';
    const dataDir = await ownDataFolder(call.env);
    await confirmName(call, name, `This ends the login and the tokens of ${name} in ${dataDir}.`);
    removeUser(dataDir, name);
    call.print(`${name} is removed from ${dataDir}.`);
    return 0;
  },
};

export const users: CommandDefinition = {
  name: 'users',
  summary: 'List, add and remove users of the service on this machine, and change their passwords',
  details: 'Works on the data folder of this machine (DATA_DIR). On AWS it is "hooks aws users".',
  examples: [...list.examples, ...add.examples],
  subcommands: [list, add, password, remove],
};

type Change = typeof addUser | typeof setPassword;

async function change(call: Call, changeUser: Change, done: string): Promise<number> {
  const { env, args, print } = call;
  const name = args.at(0) ?? '';
  const dataDir = await ownDataFolder(env);
  const chosen = await choose(call);
  changeUser(dataDir, name, ...(chosen === '' ? [] : [chosen]));
  print(`${name} ${done} ${passwordFile(dataDir, name)}.`);
  return 0;
}

/** Asked twice, because the input is not echoed. */
async function choose({ stdin }: Call): Promise<string> {
  const first = await readSecret({ stdin }, 'Password, or nothing: one is made up');
  if (first === '' || !stdin.isTTY || first === (await stdin.ask('The same again: ', { hidden: true }))) return first;
  throw new UsageError('The two passwords differ; nothing was changed.');
}
