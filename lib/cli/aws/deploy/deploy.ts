import { type Call, EXIT } from '../../command.ts';
import { Failure } from '../../errors.ts';
import { address } from '../../service/address.ts';
import { loginFile, readLogin, writeLogin } from '../../service/stored-login.ts';
import { type Account, openAccount } from '../account.ts';
import type { Cdk } from '../cdk.ts';
import { type StackUsers, stackUsers } from '../manage-users.ts';
import { BOOTSTRAP_STACK, findStack, namedForCdk, refuseOwnRoles, type Stack, stackNamed } from '../stack.ts';
import { checkAccount } from './checks.ts';
import { checkedParameters, deployParameters } from './parameters.ts';

/** The bootstrap version that the stack needs: https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html */
export const NEEDED_VERSION = 6;
const FIRST_USER = 'admin';
/** The statuses of a stack whose creation failed. */
const NEVER_CREATED = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED'];

/** Deploys the service, or updates it, and adds the first user; or says what would change. Returns the exit code. */
export async function deploy(call: Call, cdk: Cdk): Promise<number> {
  const { args, print, warn } = call;
  const name = stackNamed(call);
  const given = checkedParameters(args.all('parameters'));
  const account = await openAccount(call);
  warn(`Account ${account.id} in ${account.region}, as ${account.arn}.`);
  const existing = await findStack(account, name);
  refuseOwnRoles(existing, name);
  // The CDK deletes a stack whose first deploy failed, and makes it anew.
  const before = existing && NEVER_CREATED.includes(existing.status) ? null : existing;
  const { refusal, warnings, ...runs } = await checkAccount(account, { given, stack: before });
  if (refusal !== null) throw new Failure(`Nothing was deployed. ${refusal}`);
  for (const line of warnings) warn(line);
  const parameters = deployParameters({ given, stack: before }, runs);
  if (parameters.length > 0) warn(`Parameters: ${parameters.join(' ')}`);
  if (args.flag('dry-run')) {
    // A change set would be created in the account.
    if ((await cdk(['diff', ...namedForCdk(name), '--method', 'template'], call, account)) === 0) return EXIT.ok;
    throw new Failure('The difference could not be shown; the lines above say why.');
  }
  await bootstrap(cdk, call, account);
  const options = parameters.flatMap((one) => ['--parameters', `${name}:${one}`]);
  // No approval of each role: they are reviewed in lib/stack/access/actions.txt.
  const code = await cdk(['deploy', ...namedForCdk(name), '--require-approval', 'never', ...options], call, account);
  if (code !== 0) {
    throw new Failure(
      'The stack was not deployed; the lines above say why. What was there before goes on as it was: mend it and repeat.',
    );
  }
  const stack = await findStack(account, name);
  if (!stack) throw new Failure(`The stack ${name} was deployed and is not there any more.`);
  const url = serviceUrl(stack);
  print(`\n${before ? 'Updated' : 'Deployed'}: ${url}/`);
  await firstUser(call, { users: stackUsers(account.lambda, stack), url, name: args.text('user') ?? FIRST_USER });
  print('\nNext: "hooks hook github <owner>/<repository>" prints the settings of a webhook that deploys each push.');
  print('Before the next push, Connect on the page deploys it at once.');
  print('Users and their tokens: npm run users. To log in: hooks login.');
  return EXIT.ok;
}

/** Prepares the account and region for the CDK, where that has not been done. */
async function bootstrap(cdk: Cdk, call: Call, account: Account): Promise<void> {
  const toolkit = await findStack(account, BOOTSTRAP_STACK);
  if (Number(toolkit?.outputs.BootstrapVersion ?? 0) >= NEEDED_VERSION) return;
  const where = `aws://${account.id}/${account.region}`;
  call.warn(`Preparing ${where} for the CDK (once per account and region): the stack ${BOOTSTRAP_STACK}.`);
  if ((await cdk(['bootstrap', where], call, account)) === 0) return;
  throw new Failure(`${where} could not be prepared; the lines above say why. Nothing was deployed.`);
}

/** Returns the address of a deployed service, without a slash at its end. */
export function serviceUrl({ outputs, parameters }: Stack): string {
  return address(parameters.PublicUrl || outputs.ApiUrl, 'the service: the output ApiUrl of the stack');
}

/** The tokens of the first user: each can be revoked without the other. */
const WEBHOOK_TOKEN = 'webhook';
const CLI_TOKEN = 'command-line';

interface FirstUser {
  readonly users: StackUsers;
  readonly url: string;
  readonly name: string;
}

/**
 * Adds the first user of a service that has none, with an API token for webhooks and one for the command line, and
 * prints each secret this once. The login is stored unless there is one for another service.
 */
async function firstUser({ print, env }: Call, { users, url, name }: FirstUser): Promise<void> {
  if ((await users.list()).length > 0) return;
  const password = await users.add(name);
  // At once: a later failure must not lose it.
  print('');
  print('The first user, shown this once:');
  print(`  user              ${name}`);
  print(`  password          ${password}`);
  print(`  token, webhooks   ${await users.makeToken(name, WEBHOOK_TOKEN)}`);
  const secret = await users.makeToken(name, CLI_TOKEN);
  const stored = await readLogin(env).catch(() => null);
  if (stored && stored.url !== url) {
    print(`  token, hooks      ${secret}`);
    print(`"hooks" still calls ${stored.url}, as ${loginFile(env)} says; "hooks login --url ${url}" changes that.`);
  } else {
    print(`"hooks" is logged in with its own token, in ${await writeLogin(env, { url, user: name, secret })}.`);
  }
}
