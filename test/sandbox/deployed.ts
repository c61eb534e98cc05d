import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { openAccount } from '../../lib/cli/aws/account.ts';
import { findStack, STACK_NAME, stackResources } from '../../lib/cli/aws/stack.ts';

/** The function that has all parts of the platform in its environment. */
const BUILDS = 'Pipelinestagestart';

/**
 * Gives this process the environment of a function of the deployed stack, so that the adapters connect as they do
 * there: with the names of the real table, bucket, project, role and key, and the credentials of whoever runs the
 * tests.
 */
export async function asDeployed(): Promise<void> {
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
}
