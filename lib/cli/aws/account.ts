import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient, STSServiceException } from '@aws-sdk/client-sts';
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
    throw noRegion(cause);
  });
  await sts.config.credentials().catch((cause: unknown) => {
    throw noCredentials(cause);
  });
  const identity = await sts.send(new GetCallerIdentityCommand({}), { abortSignal: signal }).catch((cause: unknown) => {
    throw cause instanceof STSServiceException ? refusedCredentials(cause, region) : unreachable(cause, region);
  });
  const { Account: id = '', Arn: arn = '' } = identity;
  const clients = { cloudFormation: new CloudFormationClient({ region }), lambda: new LambdaClient({ region }) };
  return { id, region, arn, ...clients };
}

/** Returns the failure of a call that no service of AWS has answered. */
export function unreachable(cause: unknown, region: string): Failure {
  const said = cause instanceof Error ? ` (${printable(cause.message)})` : '';
  return new Failure(`AWS cannot be reached${said}: is there a network, and is ${region} a region of AWS?`, { cause });
}

function noRegion(cause: unknown): Failure {
  const given = process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION;
  const what = given ? `"${printable(given)}" is no region of AWS` : 'No region of AWS is chosen';
  return new Failure(
    `${what}: set AWS_REGION, such as AWS_REGION=eu-central-1, or "region" in the profile of ~/.aws/config.`,
    { cause },
  );
}

function noCredentials(cause: unknown): Failure {
  const said = cause instanceof Error ? ` (${printable(cause.message)})` : '';
  const profile = process.env.AWS_PROFILE;
  const where = profile ? ` in the profile "${printable(profile)}"` : '';
  return new Failure(
    `There are no valid credentials of AWS${where}: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in ` +
      `with "aws login" or "aws sso login"${said}.`,
    { cause },
  );
}

function refusedCredentials(cause: STSServiceException, region: string): Failure {
  const said = printable(cause.message);
  if (cause.name.startsWith('ExpiredToken')) {
    return new Failure('The credentials of AWS have expired: log in again.', { cause });
  }
  if (cause.name === 'InvalidClientTokenId') {
    return new Failure(
      `AWS does not know the credentials: the access key is wrong or was deleted, or the account has not enabled ${region}.`,
      { cause },
    );
  }
  if (cause.name === 'SignatureDoesNotMatch') {
    return new Failure(
      `AWS refuses the signature: the secret access key is wrong, or this machine's clock (${said}).`,
      { cause },
    );
  }
  return new Failure(`AWS refuses the credentials: ${said} (${cause.name}).`, { cause });
}
