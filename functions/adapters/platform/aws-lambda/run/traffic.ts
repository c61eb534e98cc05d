import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionConcurrencyCommand,
  GetFunctionUrlConfigCommand,
  PutFunctionConcurrencyCommand,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { throttledBy, unless } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';

/** The alias that an application's address leads to. */
const LIVE = 'live';

type TrafficParts = Pick<LambdaPlatformParts, 'lambda'>;

/**
 * Lets a function run that was stopped, with as many requests at a time as an application may have, if that is limited.
 * Beyond the limit Lambda answers 429. What a function may have is reserved for it, and Lambda refuses to reserve the last 100 of an account, or the 10 of a new one: there it runs without a limit.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export async function limitRuns(
  FunctionName: string,
  { lambda, appConcurrency }: Pick<LambdaPlatformParts, 'lambda' | 'appConcurrency'>,
): Promise<void> {
  const reserve = async () => {
    const limit = { FunctionName, ReservedConcurrentExecutions: appConcurrency };
    await lambda.send(new PutFunctionConcurrencyCommand(limit));
    return true;
  };
  const isLimited = appConcurrency > 0 && (await unless('InvalidParameterValueException', reserve()));
  if (!isLimited) await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
}

/**
 * Runs the trial of a version. One that meets the limit of its application, whose requests may all hang in the version
 * before, lifts the limit while it runs: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export async function beyondLimit(
  FunctionName: string,
  { trial, before }: { readonly trial: () => Promise<void>; readonly before: () => Promise<unknown> },
  parts: Pick<LambdaPlatformParts, 'lambda' | 'appConcurrency'>,
): Promise<void> {
  try {
    return await trial();
  } catch (error) {
    if (throttledBy(error) !== 'ReservedFunctionConcurrentInvocationLimitExceeded') throw error;
  }
  await before();
  await parts.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  try {
    await trial();
  } finally {
    await limitRuns(FunctionName, parts);
  }
}

interface Move {
  readonly name: string;
  readonly version: string;
  readonly known: string | undefined;
}

/** Moves the traffic to a version, all at once, and returns the address, which stays the same. */
export async function moveTraffic({ name, version, known }: Move, parts: TrafficParts): Promise<string> {
  await pointAlias(name, version, parts);
  if (known !== undefined) return known;
  const target = { FunctionName: name, Qualifier: LIVE };
  const made = await unless('ResourceNotFoundException', parts.lambda.send(new GetFunctionUrlConfigCommand(target)));
  const url = made?.FunctionUrl ?? (await makeUrl(target, parts));
  return url.replace(/\/$/, '');
}

async function pointAlias(FunctionName: string, FunctionVersion: string, { lambda }: TrafficParts): Promise<void> {
  const alias = { FunctionName, Name: LIVE, FunctionVersion };
  const move = lambda.send(new UpdateAliasCommand(alias)).then(() => true);
  if (!(await unless('ResourceNotFoundException', move))) await lambda.send(new CreateAliasCommand(alias));
}

interface Target {
  readonly FunctionName: string;
  readonly Qualifier: string;
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
    const add = new AddPermissionCommand({ ...anyone, ...permission });
    await unless('ResourceConflictException', lambda.send(add));
  }
  const { FunctionUrl } = await lambda.send(
    new CreateFunctionUrlConfigCommand({ ...target, AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' }),
  );
  if (FunctionUrl) return FunctionUrl;
  throw new Error('Lambda returned no address.');
}
