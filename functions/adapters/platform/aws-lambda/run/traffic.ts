import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionConcurrencyCommand,
  GetFunctionUrlConfigCommand,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { errorName } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';

/** The alias that an application's address leads to. */
const LIVE = 'live';

type TrafficParts = Pick<LambdaPlatformParts, 'lambda'>;

/** Lets a function run that was stopped. */
export async function allowRuns(FunctionName: string, { lambda }: TrafficParts): Promise<void> {
  await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
}

/** Moves the traffic to a version, all at once, and returns the address, which stays the same. */
export async function moveTraffic(name: string, version: string, parts: TrafficParts): Promise<string> {
  await pointAlias(name, version, parts);
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
    new CreateFunctionUrlConfigCommand({ ...target, AuthType: 'NONE', InvokeMode: 'BUFFERED' }),
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
