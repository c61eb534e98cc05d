import { Pairing, Pairings } from '../../../functions/api/shapes/logins.ts';
import { printableJson } from '../../terminal/printable.ts';
import { readSecret } from '../ask.ts';
import { type Call, type CommandDefinition, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { UsageError } from '../errors.ts';
import { type Api, parsed } from '../service/api.ts';
import { findApi } from '../service/find-service.ts';
import { printList } from '../text.ts';

export const pair: CommandDefinition = {
  name: 'pair',
  summary: 'Store a token of a repository host, for private repositories and commit statuses',
  details: `The token is asked for, or read from standard input; the service tries it, encrypts it and never shows it. GitHub:
Contents read and Commit statuses write, or the classic scope repo. GitLab: api. Bitbucket: an API token, with your
address as the login. Gitea and Forgejo take a password too.`,
  args: [{ name: '<host>', about: 'github, gitlab, bitbucket, gitea, or the name of a configured host' }],
  options: [
    { flags: '--login <name>', about: 'your login at the host' },
    { flags: '--app <name>', about: 'only for the commit statuses of that application' },
    { flags: '--list', about: 'list what is stored' },
    { flags: '--remove', about: 'delete what is stored; the token stays valid at the host' },
    JSON_OPTION,
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks pair github --login octocat', 'asks for the token'],
    ['hooks pair gitlab --login ann < token.txt', 'the token comes from a file'],
    ['hooks pair github --list', 'login, scopes and end of what is stored'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args } = call;
  const path = ['auth', args.at(0) ?? ''];
  if (args.flag('list') && args.flag('remove')) throw new UsageError('Only one of --list and --remove can be given.');
  const client = await findApi(call);
  if (args.flag('list')) return list(call, client, path);
  const query = { app: args.text('app') };
  if (args.flag('remove')) {
    const sent = await client.call({ method: 'DELETE', path, query });
    call.print(args.flag('json') ? printableJson(sent) : 'It is deleted here. Revoke the token at the host, too.');
    return 0;
  }
  const sent = await client.call({ method: 'POST', path, query, body: { credentials: await credentials(call) } });
  call.print(args.flag('json') ? printableJson(sent) : `Stored: ${described(parsed(Pairing, sent))}`);
  return 0;
}

async function list(call: Call, client: Api, path: readonly string[]): Promise<number> {
  const { pairings: rows } = parsed(Pairings, await client.call({ path }));
  const [cells, none] = [(one: Pairing) => [described(one)], 'No token of that host is stored.'];
  return printList(call, { rows, cells, json: rows.map(printableJson), none });
}

async function credentials({ args, stdin }: Call): Promise<string> {
  const given = args.text('login');
  if (given === undefined && !stdin.isTTY) throw new UsageError('Your login at the host is needed: --login.');
  const login = given ?? (await stdin.ask('Login at the host: ')).trim();
  const token = await readSecret({ stdin }, 'Token');
  if (login === '' || token === '') throw new UsageError('A login and a token are needed; one of them is empty.');
  return `${login}:${token}`;
}

function described({ host, login, app, scopes, expires_at }: Pairing): string {
  const where = app === '*' ? 'all applications' : app;
  const until = expires_at === null ? '' : `, until ${expires_at}`;
  return `${host} as ${login}, for ${where}${scopes.length > 0 ? `, may ${scopes.join(', ')}` : ''}${until}`;
}
