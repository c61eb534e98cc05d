import type { Call } from '../command.ts';
import { Failure } from '../errors.ts';
import type { Account } from './account.ts';
import type { Cdk } from './cdk.ts';
import { BOOTSTRAP_STACK, findStack } from './stack.ts';

/** The bootstrap version that the stack needs: https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html */
export const NEEDED_VERSION = 6;

/** Prepares the account and region for the CDK, unless that has been done. */
export async function bootstrap(cdk: Cdk, call: Call, account: Account): Promise<void> {
  const toolkit = await findStack(account, BOOTSTRAP_STACK);
  const version = Number(toolkit?.outputs.BootstrapVersion ?? 0);
  if (version >= NEEDED_VERSION) return;
  const where = `aws://${account.id}/${account.region}`;
  call.warn(`Preparing ${where} for the CDK (once per account and region): the stack ${BOOTSTRAP_STACK}.`);
  const code = await cdk(['bootstrap', where], call, account);
  if (code === 0) return;
  throw new Failure(`${where} could not be prepared; the lines above say why. Nothing was deployed.`);
}
