import * as v from 'valibot';
import type { Account } from './account.ts';
import { AwsRefusal } from './query.ts';

/** The name of the service's stack, as it is synthesised. */
export const STACK_NAME = 'DeploymentWebhooks';

/** The stack that the CDK keeps its own things in. */
export const BOOTSTRAP_STACK = 'CDKToolkit';

/** A stack in an account. */
export interface Stack {
  /** Names it also after it has been deleted. */
  readonly id: string;
  /** Such as `UPDATE_COMPLETE`. */
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A resource of a stack. */
export interface StackResource {
  readonly logicalId: string;
  /** Such as `AWS::S3::Bucket`. */
  readonly type: string;
  /** Its name or id; empty while it has none. */
  readonly physicalId: string;
  readonly status: string;
}

/** A list of the Query protocol: nothing, one member or several. */
function list<const S extends v.GenericSchema>(member: S) {
  const members = v.union([v.literal(''), v.object({ member: v.unknown() })]);
  return v.pipe(
    v.optional(members, ''),
    v.transform((given): unknown[] => (given === '' ? [] : [given.member].flat())),
    v.array(member),
  );
}

const text = v.optional(v.string(), '');
const Described = v.object({
  Stacks: list(
    v.object({
      StackId: v.string(),
      StackStatus: v.string(),
      Outputs: list(v.object({ OutputKey: v.string(), OutputValue: text })),
      Parameters: list(v.object({ ParameterKey: v.string(), ParameterValue: text })),
    }),
  ),
});
const Listed = v.object({
  NextToken: v.optional(v.string()),
  StackResourceSummaries: list(
    v.object({
      LogicalResourceId: v.string(),
      PhysicalResourceId: text,
      ResourceType: v.string(),
      ResourceStatus: v.string(),
    }),
  ),
});

/** Returns the stack of a name; null when there is none, or only one that has never been created. */
export async function findStack({ query }: Account, name: string): Promise<Stack | null> {
  const answer = await query('cloudformation', 'DescribeStacks', { StackName: name }).catch((error: unknown) => {
    const isMissing = error instanceof AwsRefusal && error.code === 'ValidationError' && /not exist/.test(error.said);
    if (isMissing) return null;
    throw error;
  });
  const [stack] = answer === null ? [] : v.parse(Described, answer).Stacks;
  if (!stack || stack.StackStatus === 'REVIEW_IN_PROGRESS' || stack.StackStatus === 'DELETE_COMPLETE') return null;
  return {
    id: stack.StackId,
    status: stack.StackStatus,
    outputs: Object.fromEntries(stack.Outputs.map((one) => [one.OutputKey, one.OutputValue])),
    parameters: Object.fromEntries(stack.Parameters.map((one) => [one.ParameterKey, one.ParameterValue])),
  };
}

/** Returns the resources of a stack, also of one that was deleted, when it is named by its id. */
export async function stackResources({ query }: Account, id: string): Promise<readonly StackResource[]> {
  const resources: StackResource[] = [];
  let next: string | undefined;
  do {
    const parameters = { StackName: id, ...(next !== undefined && { NextToken: next }) };
    const page = v.parse(Listed, await query('cloudformation', 'ListStackResources', parameters));
    for (const one of page.StackResourceSummaries) {
      resources.push({
        logicalId: one.LogicalResourceId,
        type: one.ResourceType,
        physicalId: one.PhysicalResourceId,
        status: one.ResourceStatus,
      });
    }
    next = page.NextToken || undefined;
  } while (next !== undefined);
  return resources;
}
