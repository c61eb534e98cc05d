import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { unless } from '../../../aws/failures.ts';
import { functionName, logGroupOf, PLATFORM_STREAM } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys } from '../table/items.ts';

type RoleParts = Pick<LambdaPlatformParts, 'appRole' | 'roleBoundary' | 'functionPrefix' | 'sealingKey'>;

const POLICY = 'own';
const TRUST = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};

/** Returns the ARN of the role that an application runs with: that of all, or where each has one, its own. */
export function roleOf(app: AppRef, parts: RoleParts): string {
  return parts.roleBoundary === undefined ? parts.appRole : ownRole(app, parts).arn;
}

/** Makes the role of an application where each has one; a second call changes nothing. */
export async function ensureRole(app: AppRef, parts: LambdaPlatformParts): Promise<void> {
  const { roleBoundary, functionPrefix, table, iam } = parts;
  if (roleBoundary === undefined) return;
  const { name, group } = ownRole(app, parts);
  // Before there is one: the removal of the application deletes what an interrupted start has made.
  await table.write(keys.function(functionName(functionPrefix, app)), { ownRole: name });
  const role = {
    RoleName: name,
    Description: 'One application: writes its own log, and nothing else',
    AssumeRolePolicyDocument: JSON.stringify(TRUST),
    PermissionsBoundary: roleBoundary,
  };
  await unless('EntityAlreadyExistsException', iam.send(new CreateRoleCommand(role)));
  const policy = { RoleName: name, PolicyName: POLICY, PolicyDocument: JSON.stringify(mayLog(group)) };
  await iam.send(new PutRolePolicyCommand(policy));
}

/** Deletes the role that an application has had for itself, if it has; its function must be gone. */
export async function removeRole(app: AppRef, parts: LambdaPlatformParts): Promise<void> {
  const item = await parts.table.read(keys.function(functionName(parts.functionPrefix, app)));
  if (item?.ownRole === undefined) return;
  const RoleName = item.ownRole;
  const policy = new DeleteRolePolicyCommand({ RoleName, PolicyName: POLICY });
  await unless('NoSuchEntityException', parts.iam.send(policy));
  await unless('NoSuchEntityException', parts.iam.send(new DeleteRoleCommand({ RoleName })));
}

/** Names of roles are unique in an account, those of functions in a region. */
function ownRole(app: AppRef, { functionPrefix, sealingKey }: RoleParts) {
  const [, partition, , region, account] = sealingKey.split(':');
  const name = functionName(`${functionPrefix}-${region}`, app);
  const group = logGroupOf(functionName(functionPrefix, app));
  return {
    name,
    arn: `arn:${partition}:iam::${account}:role/${name}`,
    group: `arn:${partition}:logs:${region}:${account}:log-group:${group}`,
  };
}

/** As the role of all applications, whose statements are in `lib/stack/apps`, for one log group. */
function mayLog(group: string) {
  const write = { Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: `${group}:*` };
  const ofPlatform = {
    Effect: 'Deny',
    Action: 'logs:PutLogEvents',
    Resource: `${group}:log-stream:${PLATFORM_STREAM}`,
  };
  return { Version: '2012-10-17', Statement: [write, ofPlatform] };
}
