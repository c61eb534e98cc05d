import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { UsageError } from '../errors.ts';
import type { Stack } from './stack.ts';

/** New accounts may run 10 functions at a time, others 1000. */
const SMALL_ACCOUNT = 100;
const FEW_RUNS = 'StageConcurrency=2';

/**
 * What the stack can be deployed with, as lib/stack/parameters.ts defines it; a test compares them. The CDK ignores a
 * parameter that the stack does not have, so that a misspelt one would have no effect and no error.
 */
export const PARAMETERS: readonly string[] = [
  ...['Platform', 'PlatformUrl', 'RepositoryHosts', 'DefaultBranch', 'HoldMinutes', 'RetryBaseSeconds'],
  ...['StageConcurrency', 'ReconcileMinutes', 'ChangesSeconds', 'ChangesConcurrency', 'StreamsPerUser', 'StreamsInAll'],
  ...['PublicUrl', 'PublicSignalsUrl', 'AllowedOrigins', 'AlarmEmail', 'Firewall', 'FirewallRequests'],
  'MonthlyBudgetDollars',
];

/** Returns the parameters of a call, checked: `AlarmEmail=ops@example.com`. Throws a `UsageError`. */
export function checkedParameters(given: readonly string[]): readonly string[] {
  const wrong = given.find((one) => !/^[A-Za-z][A-Za-z0-9]*=/.test(one));
  if (wrong !== undefined) {
    throw new UsageError(`--parameters takes <Name>=<value>, such as AlarmEmail=ops@example.com, and not "${wrong}".`);
  }
  const unknown = given.map((one) => one.slice(0, one.indexOf('='))).find((name) => !PARAMETERS.includes(name));
  if (unknown === undefined) return given;
  throw new UsageError(`The stack has no parameter ${unknown}. It has ${PARAMETERS.toSorted().join(', ')}.`);
}

/**
 * Returns the parameters to deploy with. The first time, in an account that may run few functions at a time, the stages
 * are limited, so that deploys leave the rest to the API. Later the CDK keeps what is not given.
 */
export async function deployParameters(
  lambda: LambdaClient,
  stack: Stack | null,
  given: readonly string[],
): Promise<readonly string[]> {
  if (stack || given.some((one) => one.startsWith('StageConcurrency='))) return given;
  // Without permission to ask, nothing is known of the account.
  const settings = await lambda.send(new GetAccountSettingsCommand({})).catch(() => undefined);
  const limit = settings?.AccountLimit?.ConcurrentExecutions;
  return limit !== undefined && limit < SMALL_ACCOUNT ? [...given, FEW_RUNS] : given;
}
