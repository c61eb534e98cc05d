import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionConcurrencyCommand,
  GetFunctionUrlConfigCommand,
  PutFunctionConcurrencyCommand,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { errorName } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';

/** The alias that an application's address leads to. */
const LIVE = 'live';

type TrafficParts = Pick<LambdaPlatformParts, 'lambda'>;

/**
 * Lets a function run that was stopped, with as many requests at a time as an application may have, so that a slow one
 * leaves the account's concurrency to the service and to the others. What a function may have is reserved for it, and
 * Lambda refuses to reserve the last 100 of an account, or the 10 of a new one: there it runs without a limit.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export async function limitRuns(
  FunctionName: string,
  { lambda, appConcurrency }: Pick<LambdaPlatformParts, 'lambda' | 'appConcurrency'>,
): Promise<void> {
  try {
    if (appConcurrency === 0) return await unlimitRuns(FunctionName, lambda);
    const limit = { FunctionName, ReservedConcurrentExecutions: appConcurrency };
    await lambda.send(new PutFunctionConcurrencyCommand(limit));
  } catch (error) {
    if (errorName(error) !== 'InvalidParameterValueException') throw error;
    await unlimitRuns(FunctionName, lambda);
  }
}

async function unlimitRuns(FunctionName: string, lambda: LambdaPlatformParts['lambda']): Promise<void> {
  await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
}

interface Move {
  readonly name: string;
  readonly version: string;
  /** The address, if it is known. */
  readonly known: string | undefined;
}

/** Moves the traffic to a version, all at once, and returns the address, which stays the same. */
export async function moveTraffic({ name, version, known }: Move, parts: TrafficParts): Promise<string> {
  await pointAlias(name, version, parts);
  if (known !== undefined) return known;
  const target = { FunctionName: name, Qualifier: LIVE };
  const url = (await knownUrl(target, parts)) ?? (await makeUrl(target, parts));
  return url.replace(/\/$/, '');
}

async function pointAlias(FunctionName: string, FunctionVersion: string, { lambda }: TrafficParts): Promise<void> {
  const alias = { FunctionName, Name: LIVE, FunctionVersion };
  try {
    await lambda.send(new UpdateAliasCommand(alias));
  } catch (error) {
    if (errorName(error) !== 'ResourceNotFoundException') throw error;
    await lambda.send(new CreateAliasCommand(alias));
  }
}

interface Target {
  readonly FunctionName: string;
  readonly Qualifier: string;
}

async function knownUrl(target: Target, { lambda }: TrafficParts): Promise<string | undefined> {
  try {
    return (await lambda.send(new GetFunctionUrlConfigCommand(target))).FunctionUrl;
  } catch (error) {
    if (errorName(error) === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/**
 * The permissions come first, so that an address that exists always answers. Both are needed since October 2025:
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
 */
async function makeUrl(target: Target, { lambda }: TrafficParts): Promise<string> {
  const anyone = { ...target, Principal: '*' };
  const permissions = [
    { StatementId: 'public-url', Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' as const },
    { StatementId: 'public-invoke', Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true },
  ];
  for (const permission of permissions) {
    await unlessThere(() => lambda.send(new AddPermissionCommand({ ...anyone, ...permission })));
  }
  const { FunctionUrl } = await lambda.send(
    new CreateFunctionUrlConfigCommand({ ...target, AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' }),
  );
  if (FunctionUrl) return FunctionUrl;
  throw new Error('Lambda returned no address.');
}

async function unlessThere(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (errorName(error) !== 'ResourceConflictException') throw error;
  }
}
