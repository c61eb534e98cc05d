import { NewToken, Tokens } from '../../../functions/api/shapes/logins.ts';
import { printableJson } from '../../terminal/printable.ts';
import { readSecret } from '../ask.ts';
import { type Call, type CommandDefinition, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { api, parsed, Refusal } from '../service/api.ts';
import { findApi, findService } from '../service/find-service.ts';
import type { Service } from '../service/stored-login.ts';
import { printList } from '../text.ts';

const list: CommandDefinition = {
  name: 'list',
  summary: 'List the API tokens, without their values',
  options: [JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [['hooks tokens', 'name, rights and time of each']],
  run: listTokens,
};

const create: CommandDefinition = {
  name: 'create',
  summary: 'Make an API token, which is printed this once',
  details: `For webhooks, CI and other machines: unlike the password it can be revoked. Only the password can make tokens; it is asked
for when the login is a token.`,
  args: [{ name: '<name>', about: 'what it is for, to revoke it by' }],
  options: [
    { flags: '--rights <read|deploy>', about: 'it may only read, or also deploy, release, cancel and roll back' },
    JSON_OPTION,
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks tokens create github', 'the token for the webhook at GitHub'],
    ['hooks tokens create laptop | hooks login --url https://deploy.example.com --user ann', 'a login with it'],
  ],
  run: createToken,
};

const revoke: CommandDefinition = {
  name: 'revoke',
  summary: 'End an API token',
  args: [{ name: '<name>', about: 'the name that it was made with' }],
  options: SERVICE_OPTIONS,
  examples: [['hooks tokens revoke github', 'calls with that token are refused from then on']],
  run: revokeToken,
};

export const tokens: CommandDefinition = {
  name: 'tokens',
  summary: 'List, make and revoke API tokens',
  examples: [...list.examples, ...create.examples],
  subcommands: [list, create, revoke],
};

const PATH = ['auth', 'tokens'];

async function listTokens(call: Call): Promise<number> {
  const { tokens: rows } = parsed(Tokens, await (await findApi(call)).call({ path: PATH }));
  const none = 'There is no API token: "hooks tokens create <name>" makes one.';
  return printList(call, {
    rows,
    cells: (one) => [one.name, one.rights ?? 'all', one.created_at],
    json: rows.map(printableJson),
    none,
  });
}

async function createToken(call: Call): Promise<number> {
  const { args, print, warn } = call;
  const name = args.at(0) ?? '';
  const sent = await post(call, await findService(call), name);
  print(args.flag('json') ? printableJson(sent) : parsed(NewToken, sent).token);
  if (call.stderr.isTTY) warn(`This is the only time that the token is shown. "hooks tokens revoke ${name}" ends it.`);
  return 0;
}

/** A token cannot make tokens: then the password is asked for, where there is someone to ask. */
async function post(call: Call, service: Service, name: string): Promise<unknown> {
  const request = { method: 'POST', path: PATH, body: { name, rights: call.args.text('rights') } };
  try {
    return await api(service, call.signal).call(request);
  } catch (error) {
    const isToken = error instanceof Refusal && (error.status === 401 || error.status === 403) && call.stdin.isTTY;
    if (!isToken) throw error;
    const secret = await readSecret(call, `Password of ${service.user}`);
    return api({ ...service, secret }, call.signal).call(request);
  }
}

async function revokeToken(call: Call): Promise<number> {
  const name = call.args.at(0) ?? '';
  await (await findApi(call)).call({ method: 'DELETE', path: [...PATH, name] });
  call.print(`The token ${name} is revoked.`);
  return 0;
}
