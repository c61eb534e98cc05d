import {
  CloudWatchLogsClient,
  DeleteLogGroupCommand,
  ResourceNotFoundException as LogGroupNotFound,
  paginateDescribeLogGroups,
} from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient, DeleteProjectCommand, paginateListProjects } from '@aws-sdk/client-codebuild';
import {
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  IAMClient,
  paginateListRolePolicies,
  paginateListRoles,
} from '@aws-sdk/client-iam';
import {
  DeleteFunctionCommand,
  type LambdaClient,
  paginateListFunctions,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import type { Account } from './account.ts';

/** The prefix of the names of applications' functions, as the stack sets it. */
const prefixOf = (stack: string) => `${stack}-app-`;
/** The prefix of the objects with the packages that builds have downloaded. */
const CACHES = 'caches/';

export type Leftovers = Awaited<ReturnType<typeof findLeftovers>>;

/**
 * Returns the functions, roles, projects of CodeBuild and log groups of a stack's applications in the account, also when
 * the stack is gone. Versions, alias and address of a function go with it. An application that was built and never started
 * has a project alone.
 */
export async function findLeftovers({ lambda, region }: Pick<Account, 'lambda' | 'region'>, stack: string) {
  const prefix = prefixOf(stack);
  const functions: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
    functions.push(
      ...Functions.flatMap(({ FunctionName = '' }) => (FunctionName.startsWith(prefix) ? [FunctionName] : [])),
    );
  }
  const projects: string[] = [];
  for await (const { projects: names = [] } of paginateListProjects({ client: builds(region) }, {})) {
    projects.push(...names.filter((name) => name.startsWith(prefix)));
  }
  const roles: string[] = [];
  for await (const { Roles = [] } of paginateListRoles({ client: iam(region) }, {})) {
    // Roles belong to the whole account, so that their names have the region.
    roles.push(...Roles.flatMap(({ RoleName = '' }) => (RoleName.startsWith(`${prefix}${region}-`) ? [RoleName] : [])));
  }
  const logGroups: string[] = [];
  const wanted = { logGroupNamePrefix: `/aws/lambda/${prefix}` };
  for await (const { logGroups: groups = [] } of paginateDescribeLogGroups({ client: logs(region) }, wanted)) {
    logGroups.push(...groups.flatMap(({ logGroupName }) => logGroupName ?? []));
  }
  return { functions, roles, projects, logGroups };
}

/** Deletes roles of applications: before the stack, whose policy bounds them, and which cannot be deleted while it does. */
export async function deleteRoles(
  { region }: Pick<Account, 'region'>,
  { roles }: Pick<Leftovers, 'roles'>,
): Promise<void> {
  const client = iam(region);
  for (const RoleName of roles) {
    for await (const { PolicyNames = [] } of paginateListRolePolicies({ client }, { RoleName })) {
      for (const PolicyName of PolicyNames) await client.send(new DeleteRolePolicyCommand({ RoleName, PolicyName }));
    }
    await client.send(new DeleteRoleCommand({ RoleName }));
  }
}

/** Deletes them. A second call finds nothing and does nothing. */
export async function deleteLeftovers(
  { lambda, region }: Pick<Account, 'lambda' | 'region'>,
  { functions, roles, projects, logGroups }: Leftovers,
): Promise<void> {
  for (const name of functions) await deleteFunction(lambda, name);
  await deleteRoles({ region }, { roles });
  // Deleting one that does not exist is no error.
  for (const name of projects) await builds(region).send(new DeleteProjectCommand({ name }));
  const client = logs(region);
  for (const logGroupName of logGroups) {
    await client.send(new DeleteLogGroupCommand({ logGroupName })).catch((error: unknown) => {
      if (!(error instanceof LogGroupNotFound)) throw error;
    });
  }
}

/** Deletes the packages that builds have downloaded, which are of no use without the stack. */
export async function deleteBuildCaches({ region }: Pick<Account, 'region'>, bucket: string): Promise<void> {
  const client = new S3Client({ region, ...attempts });
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: CACHES })) {
    const Objects = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]));
    if (Objects.length > 0) await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
  }
}

async function deleteFunction(lambda: LambdaClient, name: string): Promise<void> {
  await lambda.send(new DeleteFunctionCommand({ FunctionName: name })).catch((error: unknown) => {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  });
}

/** The control planes limit the rate of changes. */
const attempts = { maxAttempts: 8 };

function builds(region: string): CodeBuildClient {
  return new CodeBuildClient({ region, ...attempts });
}

function iam(region: string): IAMClient {
  return new IAMClient({ region, ...attempts });
}

function logs(region: string): CloudWatchLogsClient {
  return new CloudWatchLogsClient({ region, ...attempts });
}
