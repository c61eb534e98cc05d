import { addUser, listUsers, passwordFile, setPassword } from '../../local/config/users.ts';
import { type Call, type CommandDefinition, JSON_OPTION, UsageError } from '../command.ts';
import { dataFolder } from '../service/this-machine.ts';

const list: CommandDefinition = {
  name: 'list',
  summary: 'List the users of the service on this machine',
  options: [JSON_OPTION],
  examples: [['hooks users', 'the names, and where each password is']],
  run: async ({ env, args, print }) => {
    const dataDir = dataFolder(env);
    const users = listUsers(dataDir).map((name) => ({ name, password_file: passwordFile(dataDir, name) }));
    if (args.flag('json')) print(JSON.stringify({ users }));
    else for (const { name, password_file } of users) print(`${name}  password in ${password_file}`);
    return 0;
  },
};

const add: CommandDefinition = {
  name: 'add',
  summary: 'Add a user, with a log, applications and repositories of their own',
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

export const users: CommandDefinition = {
  name: 'users',
  summary: 'List and add users of the service on this machine, and change their passwords',
  details: 'Works on the data folder of this machine (DATA_DIR). Elsewhere the hosting platform has the users.',
  examples: [...list.examples, ...add.examples],
  subcommands: [list, add, password],
};

type Change = typeof addUser | typeof setPassword;

async function change(call: Call, changeUser: Change, done: string): Promise<number> {
  const { env, args, print } = call;
  const name = args.at(0) ?? '';
  const dataDir = dataFolder(env);
  const chosen = await choose(call);
  changeUser(dataDir, name, ...(chosen === '' ? [] : [chosen]));
  print(`${name} ${done} ${passwordFile(dataDir, name)}.`);
  return 0;
}

/** Typed twice, because nobody sees what is typed. */
async function choose({ stdin }: Call): Promise<string> {
  if (!stdin.isTTY) return (await stdin.read()).replace(/\r?\n$/, '');
  const first = await stdin.ask('Password (not shown; empty: one is made up): ', { hidden: true });
  if (first === '' || first === (await stdin.ask('The same again: ', { hidden: true }))) return first;
  throw new UsageError('The two passwords differ; nothing was changed.');
}
