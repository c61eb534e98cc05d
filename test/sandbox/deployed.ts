import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { functionName } from '../../functions/adapters/platform/aws-lambda/names.ts';
import { awsLambda } from '../../functions/adapters/platform/aws-lambda/platform.ts';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { type Account, openAccount } from '../../lib/cli/aws/account.ts';
import { findStack, STACK_NAME, type Stack, stackResources } from '../../lib/cli/aws/stack.ts';
import { readLogin } from '../../lib/cli/service/stored-login.ts';
import type { Deployed } from './checklist/item.ts';

/** The function that has all parts of the platform in its environment. */
const BUILDS = 'Pipelinestagestart';

/**
 * Gives this process the environment of a function of the deployed stack, so that the adapters connect as they do
 * there: with the names of the real table, bucket, project, role and key, and the credentials of whoever runs the
 * tests. Returns the account and the stack.
 */
export async function asDeployed(): Promise<{ readonly account: Account; readonly stack: Stack }> {
  const account = await openAccount({ signal: new AbortController().signal });
  const name = process.env.SANDBOX_STACK ?? STACK_NAME;
  const stack = await findStack(account, name);
  if (!stack) throw new Error(`There is no stack ${name} in ${account.id}, ${account.region}: npm run deploy.`);
  const resources = await stackResources(account, stack.id);
  const found = resources.find(
    ({ type, logicalId }) => type === 'AWS::Lambda::Function' && logicalId.startsWith(BUILDS),
  );
  if (!found) throw new Error(`The stack has no function ${BUILDS}.`);
  const { Environment } = await account.lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: found.physicalId }),
  );
  Object.assign(process.env, Environment?.Variables);
  return { account, stack };
}

/** Returns the login that `npm run deploy` has stored. */
export async function storedLogin() {
  const login = await readLogin(process.env);
  if (login) return login;
  throw new Error('There is no login: npm run deploy stores one.');
}

/** Returns the deployed service, with the clients of whoever runs the tests. */
export async function deployedService(): Promise<Deployed> {
  const login = await storedLogin();
  const { account, stack } = await asDeployed();
  const { project, functionPrefix } = JSON.parse(process.env.PLATFORM_PARTS ?? '{}');
  const logs = new CloudWatchLogsClient({ region: account.region });
  return {
    ...login,
    signals: stack.outputs.SignalsUrl ?? '',
    sample: { user: login.user, app: 'hello' },
    platform: await awsLambda(systemClock).hosting(),
    logs,
    codeBuild: new CodeBuildClient({ region: account.region }),
    project,
    functionOf: (app) => functionName(functionPrefix, app),
    now: Date.now,
  };
}
