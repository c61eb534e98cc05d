import { senders } from '../../../../functions/adapters/senders/registry.ts';
import { type Call, EXIT } from '../../command.ts';
import { Failure } from '../../errors.ts';
import { instructions } from '../../hook/instructions.ts';
import { address } from '../../service/address.ts';
import { type Api, api } from '../../service/api.ts';
import { logPage } from '../../service/entry.ts';
import { loginFile, readLogin, type StoredLogin, writeLogin } from '../../service/stored-login.ts';
import { type Account, openAccount } from '../account.ts';
import type { Cdk } from '../cdk.ts';
import { type StackUsers, stackUsers } from '../manage-users.ts';
import { BOOTSTRAP_STACK, findStack, namedForCdk, type Stack, stackNamed } from '../stack.ts';
import { checkAccount } from './checks.ts';
import { firstFailure } from './first-failure.ts';
import { checkedParameters, deployParameters, outgrown } from './parameters.ts';
import { deploySample, type Sample, sampleNamed } from './sample.ts';

/** The bootstrap version that the stack needs: https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html */
export const NEEDED_VERSION = 6;
const FIRST_USER = 'admin';
/** The statuses of a stack whose creation failed. */
const NEVER_CREATED = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED'];

type Plan = Awaited<ReturnType<typeof planned>>;

/**
 * Deploys the service, or updates it, and goes on to the first application; or says what would be deployed. Returns the
 * exit code.
 */
export async function deploy(call: Call, cdk: Cdk): Promise<number> {
  const { args, warn } = call;
  const name = stackNamed(call);
  const given = checkedParameters(args.all('parameters'));
  const sample = sampleNamed(args.text('sample'));
  const account = await openAccount(call);
  warn(`Account ${account.id} in ${account.region}, as ${account.arn}.`);
  const plan = await planned(call, account, name, given);
  if (args.flag('dry-run')) return showPlan(cdk, call, account, plan);
  if (!plan.isPrepared) await bootstrap(cdk, call, account);
  await deployStack(cdk, call, account, plan);
  const stack = await findStack(account, name);
  if (!stack) throw new Failure(`The stack ${name} was deployed and is not there any more.`);
  const url = serviceUrl(stack);
  call.print(`\n${plan.before ? 'Updated' : 'Deployed'}: ${url}/`);
  const login = await loginTo(call, account, stack);
  printWebhook(call, url, login?.user ?? args.text('user') ?? FIRST_USER);
  if (!login) return EXIT.ok;
  if (!plan.canBuild) {
    call.print('No sample is deployed: CodeBuild may run no build yet, as is said above.');
    return EXIT.ok;
  }
  return sampleOnce(call, api({ ...login, from: 'the first user' }, call.signal), sample);
}

/** Looks at all that a deploy depends on, before anything is created. Throws a `Failure` when it would fail. */
async function planned({ warn }: Call, account: Account, name: string, given: readonly string[]) {
  const existing = await findStack(account, name);
  const toolkit = await findStack(account, BOOTSTRAP_STACK);
  // The CDK deletes a stack whose first deploy failed, and makes it anew.
  const before = existing && NEVER_CREATED.includes(existing.status) ? null : existing;
  const wanted = { given, stack: before, name };
  const { refusals, warnings, canBuild, ...runs } = await checkAccount(account, wanted);
  for (const line of [...warnings, ...outgrown(wanted, runs)]) warn(line);
  if (refusals.length > 0) throw new Failure(`Nothing was deployed. ${refusals.join(' ')}`);
  // The account and region are prepared for the CDK.
  const isPrepared = Number(toolkit?.outputs.BootstrapVersion ?? 0) >= NEEDED_VERSION;
  return { name, before, parameters: deployParameters(wanted, runs), isPrepared, canBuild };
}

/** Prints what a deploy would do, and does none of it. Returns the exit code. */
async function showPlan(cdk: Cdk, call: Call, account: Account, plan: Plan): Promise<number> {
  const { name, before, parameters, isPrepared } = plan;
  const where = `aws://${account.id}/${account.region}`;
  if (!isPrepared) call.print(`It would prepare ${where} for the CDK first: npx cdk bootstrap ${where}`);
  call.print(`It would ${before ? 'update' : 'create'} the stack ${name}.`);
  for (const one of parameters) {
    const [parameter = ''] = one.split('=', 1);
    const old = before?.parameters[parameter];
    call.print(`  ${one}${old === undefined ? '' : ` (now ${old})`}`);
  }
  // A change set would be created in the account.
  const code = await cdk(['diff', ...namedForCdk(name), '--method', 'template'], call, account);
  if (code !== 0) throw new Failure('The difference could not be shown; the lines above say why.');
  return EXIT.ok;
}

async function bootstrap(cdk: Cdk, call: Call, account: Account): Promise<void> {
  const where = `aws://${account.id}/${account.region}`;
  call.warn(`Preparing ${where} for the CDK (once per account and region): the stack ${BOOTSTRAP_STACK}.`);
  const code = await cdk(['bootstrap', where], call, account);
  if (code === 0) return;
  throw new Failure(`${where} could not be prepared; the lines above say why. Nothing was deployed.`);
}

async function deployStack(cdk: Cdk, call: Call, account: Account, { name, parameters }: Plan): Promise<void> {
  const options = parameters.flatMap((one) => ['--parameters', `${name}:${one}`]);
  // No approval of each role: they are reviewed in lib/stack/access/actions.txt.
  const code = await cdk(['deploy', ...namedForCdk(name), '--require-approval', 'never', ...options], call, account);
  if (code === 0) return;
  const first = await firstFailure(account, name);
  if (first !== null) call.warn(first);
  throw new Failure(
    'The stack was not deployed; the lines above say why. What was there before goes on as it was: mend it and repeat.',
  );
}

/** Returns the address of a deployed service, without a slash at its end. */
export function serviceUrl({ outputs, parameters }: Stack): string {
  return address(parameters.PublicUrl || outputs.ApiUrl, 'the service: the output ApiUrl of the stack');
}

/** Returns the login of the first user, who is added, or the stored one; null when there is none for this service. */
async function loginTo(call: Call, account: Account, stack: Stack): Promise<StoredLogin | null> {
  const { args, print, env } = call;
  const url = serviceUrl(stack);
  const users = stackUsers(account.lambda, stack);
  const made = await firstUser(call, { users, url, name: args.text('user') ?? FIRST_USER });
  if (made) return made;
  const stored = await readLogin(env).catch(() => null);
  if (stored?.url === url) return stored;
  print('Users and their tokens: npm run users. To log in: hooks login.');
  return null;
}

function printWebhook({ print }: Call, service: string, user: string): void {
  const github = senders.find(({ id }) => id === 'github');
  if (!github?.setup) throw new Error('GitHub can be set up.');
  print('\nTo deploy a repository on GitHub with each push:');
  const repository = '<owner>/<repository>';
  const lines = instructions(github, github.setup, { service, user, repository, branch: 'main' });
  for (const line of lines) print(`  ${line}`.trimEnd());
  print(
    '\nPut the token for webhooks where it says <token>; "npm run users -- token <user> <name>" makes another one.',
  );
  print('Other hosts and CI providers: hooks hook <host> <owner>/<repository>.\n');
}

/** Deploys the sample into a log without entries, or the one that is named. */
async function sampleOnce(call: Call, client: Api, named: Sample | null): Promise<number> {
  if (!call.args.unlessNo('sample')) return EXIT.ok;
  if (!named && (await logPage(client, { limit: 1 })).total > 0) return EXIT.ok;
  return deploySample(call, client, named);
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
 * prints each secret this once. Returns the login, which is stored unless there is one for another service; null when
 * there are users.
 */
async function firstUser(call: Call, { users, url, name }: FirstUser): Promise<StoredLogin | null> {
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
