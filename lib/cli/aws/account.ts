import { LambdaClient } from '@aws-sdk/client-lambda';
import * as v from 'valibot';
import { printable } from '../../terminal/printable.ts';
import type { CommandContext } from '../command.ts';
import { Failure } from '../errors.ts';
import { AwsRefusal, type Query, queries } from './query.ts';

/** The account of AWS that the environment's credentials are of, and how it is called. */
export interface Account {
  /** Twelve digits. */
  readonly id: string;
  readonly region: string;
  /** The ARN of the principal whose credentials are used. */
  readonly arn: string;
  readonly query: Query;
  readonly lambda: LambdaClient;
}

const Identity = v.object({ Account: v.string(), Arn: v.string() });

/**
 * Returns the account, by the credentials and the region that all tools of AWS would use: environment variables, the
 * profile in `~/.aws`, single sign-on, the machine's role.
 *
 * @throws Failure that says what is missing, or why AWS refuses the credentials
 */
export async function openAccount({ signal }: Pick<CommandContext, 'signal'>): Promise<Account> {
  const lambda = new LambdaClient({});
  const { config } = lambda;
  const region = await config.region().catch((cause: unknown) => {
    throw noRegion(cause);
  });
  await config.credentials().catch((cause: unknown) => {
    throw noCredentials(cause);
  });
  const query = queries({ region, credentials: config.credentials, sha256: config.sha256 }, signal);
  const identity = await query('sts', 'GetCallerIdentity').catch((error: unknown) => {
    throw error instanceof AwsRefusal ? refusedCredentials(error, region) : error;
  });
  const { Account: id, Arn: arn } = v.parse(Identity, identity);
  return { id, region, arn, query, lambda };
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

function refusedCredentials({ code, said }: AwsRefusal, region: string): Failure {
  if (code.startsWith('ExpiredToken')) return new Failure('The credentials of AWS have expired: log in again.');
  if (code === 'InvalidClientTokenId') {
    return new Failure(
      `AWS does not know the credentials: the access key is wrong or was deleted, or the account has not enabled ${region}.`,
    );
  }
  if (code === 'SignatureDoesNotMatch') {
    return new Failure(
      `AWS refuses the signature: the secret access key is wrong, or this machine's clock (${printable(said)}).`,
    );
  }
  return new Failure(`AWS refuses the credentials: ${printable(said)} (${code}).`);
}
