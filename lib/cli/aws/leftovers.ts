import {
  CloudWatchLogsClient,
  DeleteLogGroupCommand,
  ResourceNotFoundException as LogGroupNotFound,
  paginateDescribeLogGroups,
} from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient, DeleteProjectCommand, paginateListProjects } from '@aws-sdk/client-codebuild';
import { DeleteFunctionCommand, paginateListFunctions, ResourceNotFoundException } from '@aws-sdk/client-lambda';
import type { Account } from './account.ts';

export type Leftovers = Awaited<ReturnType<typeof findLeftovers>>;

/**
 * Returns the functions, projects of CodeBuild and log groups of a stack's applications in the account, also when the
 * stack is gone. Versions, alias and address of a function go with it. An application that was built and never started
 * has a project alone.
 */
export async function findLeftovers({ lambda, region }: Pick<Account, 'lambda' | 'region'>, stack: string) {
  // As the stack sets it.
  const prefix = `${stack}-app-`;
  const functions: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
    functions.push(...Functions.flatMap(({ FunctionName }) => FunctionName ?? []));
  }
  const projects: string[] = [];
  for await (const page of paginateListProjects({ client: builds(region) }, {}))
    projects.push(...(page.projects ?? []));
  const logGroups: string[] = [];
  const wanted = { logGroupNamePrefix: `/aws/lambda/${prefix}` };
  for await (const { logGroups: groups = [] } of paginateDescribeLogGroups({ client: logs(region) }, wanted)) {
    logGroups.push(...groups.flatMap(({ logGroupName }) => logGroupName ?? []));
  }
  const isOwn = (name: string) => name.startsWith(prefix);
  return { functions: functions.filter(isOwn), projects: projects.filter(isOwn), logGroups };
}

/** Deletes them. A second call finds nothing and does nothing. */
export async function deleteLeftovers(
  { lambda, region }: Pick<Account, 'lambda' | 'region'>,
  { functions, projects, logGroups }: Leftovers,
): Promise<void> {
  for (const FunctionName of functions) {
    await lambda.send(new DeleteFunctionCommand({ FunctionName })).catch((error: unknown) => {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    });
  }
  // Deleting one that does not exist is no error.
  for (const name of projects) await builds(region).send(new DeleteProjectCommand({ name }));
  for (const logGroupName of logGroups) {
    await logs(region)
      .send(new DeleteLogGroupCommand({ logGroupName }))
      .catch((error: unknown) => {
        if (!(error instanceof LogGroupNotFound)) throw error;
      });
  }
}

/** The control planes limit the rate of changes. */
const attempts = { maxAttempts: 8 };

function builds(region: string): CodeBuildClient {
  return new CodeBuildClient({ region, ...attempts });
}

function logs(region: string): CloudWatchLogsClient {
  return new CloudWatchLogsClient({ region, ...attempts });
}
