import {
  CloudFormationServiceException,
  DescribeStacksCommand,
  type DescribeStacksCommandOutput,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { printable } from '../../terminal/printable.ts';
import { type Call, EXIT } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import { columns } from '../text.ts';
import { type Account, openAccount, reasonOf } from './account.ts';

/** The name of the service's stack unless another one is given. */
export const STACK_NAME = 'DeploymentWebhooks';

/** The stack that the CDK keeps its own things in. */
export const BOOTSTRAP_STACK = 'CDKToolkit';

/** The names of functions have 64 characters, of which those of an application need some. */
const MAX_STACK_NAME = 40;

/**
 * Returns the name of the stack that the option `--stack` gives. Throws a `UsageError`.
 *
 * A stack may delete all functions whose names begin with its own name and `-app-`, so that no other one may begin so.
 */
export function stackNamed({ args }: Pick<Call, 'args'>): string {
  const name = args.text('stack') ?? STACK_NAME;
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html
  const isName = /^[A-Za-z][A-Za-z0-9-]*$/.test(name) && name.length <= MAX_STACK_NAME;
  if (isName && !/-app(?:-|$)/.test(name) && name !== BOOTSTRAP_STACK) return name;
  throw new UsageError(
    `--stack takes up to ${MAX_STACK_NAME} letters, digits and dashes, without "-app", and not "${printable(name)}".`,
  );
}

/** Returns the options that the CDK needs to synthesise a stack of that name. */
export function namedForCdk(name: string): readonly string[] {
  return name === STACK_NAME ? [name] : [name, '--context', `stack=${name}`];
}

export interface Stack {
  /** Names it also after it has been deleted. */
  readonly id: string;
  /** Such as `UPDATE_COMPLETE`. */
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface StackResource {
  readonly logicalId: string;
  /** Such as `AWS::S3::Bucket`. */
  readonly type: string;
  /** Its name or id; empty while it has none. */
  readonly physicalId: string;
  readonly status: string;
}

/** Returns the stack of a name; null when there is none, or only one that has never been created. */
export async function findStack(account: Account, name: string): Promise<Stack | null> {
  const command = new DescribeStacksCommand({ StackName: name });
  const described: Pick<DescribeStacksCommandOutput, 'Stacks'> = await account.cloudFormation
    .send(command)
    .catch((error: unknown) => {
      const isAnswer = error instanceof CloudFormationServiceException && error.name === 'ValidationError';
      if (isAnswer && /not exist/.test(error.message)) return {};
      throw new Failure(`CloudFormation cannot be asked in ${account.region} (${reasonOf(error)}).`, { cause: error });
    });
  const [stack] = described.Stacks ?? [];
  const { StackId: id = '', StackStatus: status = 'REVIEW_IN_PROGRESS', Outputs = [], Parameters = [] } = stack ?? {};
  if (status === 'REVIEW_IN_PROGRESS' || status === 'DELETE_COMPLETE') return null;
  return {
    id,
    status,
    outputs: Object.fromEntries(Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue])),
    parameters: Object.fromEntries(
      Parameters.map(({ ParameterKey = '', ParameterValue = '' }) => [ParameterKey, ParameterValue]),
    ),
  };
}

/**
 * Throws a `Failure` for a stack of 1.1.0 whose applications have roles of their own: the policy that bounds them, which
 * this version removes, cannot go while there are some.
 */
export function refuseOwnRoles(stack: Stack | null, name: string): void {
  if (stack?.parameters.AppRoles !== 'own') return;
  throw new Failure(
    `The stack has AppRoles=own, and all applications share one role now. First, with version 1.1.0: npm run deploy -- --parameters AppRoles=shared, restart each application, and delete the roles "${name}-app-<region>-…" in IAM.`,
  );
}

/** Returns the resources of a stack, also of one that was deleted, when it is named by its id. */
export async function stackResources({ cloudFormation }: Account, id: string): Promise<readonly StackResource[]> {
  const resources: StackResource[] = [];
  for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName: id })) {
    for (const one of page.StackResourceSummaries ?? []) {
      resources.push({
        logicalId: one.LogicalResourceId ?? '',
        type: one.ResourceType ?? '',
        physicalId: one.PhysicalResourceId ?? '',
        status: one.ResourceStatus ?? '',
      });
    }
  }
  return resources;
}

/** Returns the stack that a call names, and where it is. Throws a `Failure` when there is none. */
export async function openStack(call: Call) {
  const name = stackNamed(call);
  const account = await openAccount(call);
  const stack = await findStack(account, name);
  const where = `account ${account.id}, ${account.region}`;
  if (stack) return { name, account, stack, where };
  throw new Failure(`There is no stack ${name} in ${where}: "npm run deploy" makes it.`);
}

/** Prints the deployed stack: its state, outputs and parameters. Returns the exit code. */
export async function showStack(call: Call): Promise<number> {
  const { args, print } = call;
  const { name, account, stack, where } = await openStack(call);
  const { status, outputs, parameters } = stack;
  if (args.flag('json')) {
    print(JSON.stringify({ account: account.id, region: account.region, status, outputs, parameters }));
    return EXIT.ok;
  }
  print(`${name} in ${where}: ${status}`);
  for (const [title, values] of [
    ['Outputs', outputs],
    ['Parameters', parameters],
  ] as const) {
    print(`\n${title}:`);
    for (const line of columns(Object.entries(values).map(([name, value]) => [`  ${name}`, value]))) print(line);
  }
  return EXIT.ok;
}
