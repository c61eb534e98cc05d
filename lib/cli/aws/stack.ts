import {
  CloudFormationServiceException,
  DescribeStacksCommand,
  type DescribeStacksCommandOutput,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { printable } from '../../terminal/printable.ts';
import { Failure } from '../errors.ts';
import { type Account, unreachable } from './account.ts';

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

/** Returns the stack of a name; null when there is none, or only one that has never been created. */
export async function findStack(account: Account, name: string): Promise<Stack | null> {
  const command = new DescribeStacksCommand({ StackName: name });
  const described: Pick<DescribeStacksCommandOutput, 'Stacks'> = await account.cloudFormation
    .send(command)
    .catch((error: unknown) => {
      if (!(error instanceof CloudFormationServiceException)) throw unreachable(error, account.region);
      if (error.name === 'ValidationError' && /not exist/.test(error.message)) return {};
      throw new Failure(`AWS refused: ${printable(error.message)} (${error.name}).`, { cause: error });
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
