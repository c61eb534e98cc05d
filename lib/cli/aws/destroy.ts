import { confirmName } from '../ask.ts';
import { type Call, EXIT } from '../command.ts';
import { Failure } from '../errors.ts';
import { deleteLogin, readLogin } from '../service/stored-login.ts';
import { columns } from '../text.ts';
import { type Account, openAccount } from './account.ts';
import type { Cdk } from './cdk.ts';
import { serviceUrl } from './deploy/deploy.ts';
import { deleteLeftovers, findLeftovers, type Leftovers } from './leftovers.ts';
import { findStack, namedForCdk, refuseOwnRoles, type Stack, stackNamed, stackResources } from './stack.ts';

/** The status of a resource that its template says to keep. */
const SKIPPED = 'DELETE_SKIPPED';

/** Deletes the service with its applications, and says what stays in the account. Returns the exit code. */
export async function destroy(call: Call, cdk: Cdk): Promise<number> {
  const { print, warn } = call;
  const name = stackNamed(call);
  const account = await openAccount(call);
  warn(`Account ${account.id} in ${account.region}, as ${account.arn}.`);
  const stack = await findStack(account, name);
  refuseOwnRoles(stack, name);
  const leftovers = await findLeftovers(account, name);
  if (!stack && Object.values(leftovers).every(({ length }) => length === 0)) {
    print(`There is no stack ${name} here, and nothing of its applications.`);
    return EXIT.ok;
  }
  const service = stack && `the stack ${name} with all its functions and queues`;
  warn(`This deletes ${[service, ...counted(leftovers)].filter(Boolean).join(', ')}. No address answers any more.`);
  for (const one of leftovers.functions) warn(`  ${one}`);
  await confirmName(call, name, `It is the stack ${name}.`);
  const code = stack ? await cdk(['destroy', ...namedForCdk(name), '--force'], call, account) : 0;
  if (code !== 0) throw new Failure('The stack was not deleted; the lines above say why. Repeat it then.');
  // Again, because an application may have been deployed meanwhile; without the stack no further one comes.
  const left = await findLeftovers(account, name);
  await deleteLeftovers(account, left);
  print(`\nDeleted: ${[stack && `the stack ${name}`, ...counted(left)].filter(Boolean).join(', ')}.`);
  if (stack) {
    await logout(call, stack);
    await printKept(call, account, stack);
  }
  return EXIT.ok;
}

function counted({ functions, projects, logGroups }: Leftovers): readonly string[] {
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`;
  const builtOnly = projects.filter((name) => !functions.includes(name));
  return [
    count(functions.length, 'application'),
    ...(builtOnly.length > 0 ? [count(builtOnly.length, 'build project')] : []),
    count(logGroups.length, 'log group'),
  ];
}

/** The login of a service that is gone would hide the one of this machine. */
async function logout({ env }: Call, stack: Stack): Promise<void> {
  const stored = await readLogin(env).catch(() => null);
  // A stack whose first deploy failed has no address.
  if (stack.outputs.ApiUrl && stored?.url === serviceUrl(stack)) await deleteLogin(env);
}

async function printKept({ print }: Call, account: Account, { id }: Stack): Promise<void> {
  const kept = (await stackResources(account, id)).filter(({ status }) => status === SKIPPED);
  if (kept.length === 0) return;
  print(
    '\nKept, because it cannot be made again or others may use it (lib/stack/removal.md: why, and what deletes it):',
  );
  for (const line of columns(kept.map(({ type, physicalId }) => [`  ${type}`, physicalId]))) print(line);
}
