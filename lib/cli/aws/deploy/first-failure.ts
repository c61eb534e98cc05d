import { paginateDescribeStackEvents, type StackEvent } from '@aws-sdk/client-cloudformation';
import { printable } from '../../../terminal/printable.ts';
import type { Account } from '../account.ts';

/** The reason that CloudFormation gives for a resource that it cancelled because another one failed. */
const CANCELLED = /^Resource (?:creation|update|deletion) cancelled/i;

/**
 * Returns what failed first in the newest change of a stack, in one line; null when no resource failed, such as for a
 * template that was refused, and when that cannot be asked.
 *
 * CloudFormation lists the newest events first, and after a failure cancels everything else that is under way.
 */
export async function firstFailure(
  { cloudFormation }: Pick<Account, 'cloudFormation'>,
  name: string,
): Promise<string | null> {
  let first: StackEvent | undefined;
  try {
    events: for await (const { StackEvents = [] } of paginateDescribeStackEvents(
      { client: cloudFormation },
      { StackName: name },
    )) {
      for (const event of StackEvents) {
        if (isBeginning(event)) break events;
        if (isFailure(event)) first = event;
      }
    }
  } catch {
    // The failure of the deploy is what is told.
    return null;
  }
  if (!first) return null;
  const {
    LogicalResourceId: id = '',
    ResourceType: type = '',
    ResourceStatusReason: reason = 'no reason given',
  } = first;
  return `The first that failed: ${id} (${type}), ${printable(reason)}`;
}

/** Whether a change of the stack begins: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_StackEvent.html */
function isBeginning({ PhysicalResourceId, StackId, ResourceStatus, ResourceStatusReason }: StackEvent): boolean {
  const begins = ResourceStatus === 'CREATE_IN_PROGRESS' || ResourceStatus === 'UPDATE_IN_PROGRESS';
  return PhysicalResourceId === StackId && begins && ResourceStatusReason === 'User Initiated';
}

function isFailure({ PhysicalResourceId, StackId, ResourceStatus, ResourceStatusReason }: StackEvent): boolean {
  // The stack itself fails because of its resources.
  if (PhysicalResourceId === StackId) return false;
  return /_FAILED$/.test(ResourceStatus ?? '') && !CANCELLED.test(ResourceStatusReason ?? '');
}
