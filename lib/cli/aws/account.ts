import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { printable } from '../../terminal/printable.ts';
import type { CommandContext } from '../command.ts';
import { Failure } from '../errors.ts';

/** The account of AWS that the environment's credentials are of, and the clients that call it. */
export type Account = Awaited<ReturnType<typeof openAccount>>;

/**
 * Returns the account, by the credentials and the region that all tools of AWS would use: environment variables, the
 * profile in `~/.aws`, single sign-on, the machine's role.
 *
 * @throws Failure that says what is missing, or why AWS refuses the credentials
 */
export async function openAccount({ signal }: Pick<CommandContext, 'signal'>) {
  const sts = new STSClient({});
  const region = await sts.config.region().catch((cause: unknown) => {
    const given = process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION;
    const what = given ? `"${printable(given)}" is no region of AWS` : 'No region of AWS is chosen';
    const remedy = 'set AWS_REGION, such as AWS_REGION=eu-central-1, or "region" in the profile of ~/.aws/config';
    throw new Failure(`${what}: ${remedy}.`, { cause });
  });
  const identity = await sts.send(new GetCallerIdentityCommand({}), { abortSignal: signal }).catch((cause: unknown) => {
    const remedy =
      'For credentials set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in with "aws login" or "aws sso login".';
    throw new Failure(`AWS cannot be called in ${region} (${reasonOf(cause)}). ${remedy}`, { cause });
  });
  const { Account: id = '', Arn: arn = '' } = identity;
  const clients = { cloudFormation: new CloudFormationClient({ region }), lambda: new LambdaClient({ region }) };
  return { id, region, arn, ...clients };
}

/** Returns in AWS's words why a call has failed. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? printable(`${cause.name}: ${cause.message}`) : 'no reason given';
}
