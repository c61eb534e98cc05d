import { isDeepStrictEqual } from 'node:util';
import {
  BatchGetProjectsCommand,
  CreateProjectCommand,
  type CreateProjectInput,
  DeleteProjectCommand,
  type Project,
  UpdateProjectCommand,
} from '@aws-sdk/client-codebuild';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { unless } from '../../../aws/failures.ts';
import { functionName } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';

type ProjectParts = Pick<LambdaPlatformParts, 'codeBuild' | 'project' | 'functionPrefix'>;

/**
 * Returns the name of an application's CodeBuild project, which is made and kept as the one of the stack. AWS does not
 * say whether builds of one project meet on a machine when they run on Lambda compute, so that no two applications have
 * one: a Lambda environment is never shared by functions.
 * https://docs.aws.amazon.com/whitepapers/latest/security-overview-aws-lambda/lambda-isolation-technologies.html
 */
export async function appProject(app: AppRef, parts: ProjectParts): Promise<string> {
  const { codeBuild, project, functionPrefix } = parts;
  const name = functionName(functionPrefix, app);
  const { projects = [] } = await codeBuild.send(new BatchGetProjectsCommand({ names: [project, name] }));
  const pattern = projects.find((one) => one.name === project);
  if (!pattern) throw new Error(`CodeBuild has no project ${project}.`);
  const existing = projects.find((one) => one.name === name);
  const settings = settingsOf(pattern);
  if (!existing) {
    const create = codeBuild.send(new CreateProjectCommand({ name, ...settings }));
    await unless('ResourceAlreadyExistsException', create);
  } else if (!isDeepStrictEqual(settingsOf(existing), settings)) {
    await codeBuild.send(new UpdateProjectCommand({ name, ...settings }));
  }
  return name;
}

/** Removes the project of an application; one that does not exist is removed already. */
export async function removeProject(app: AppRef, { codeBuild, functionPrefix }: ProjectParts): Promise<void> {
  await codeBuild.send(new DeleteProjectCommand({ name: functionName(functionPrefix, app) }));
}

/** Lambda compute reports its timeouts, and refuses to be given them. */
function settingsOf(project: Project): Omit<CreateProjectInput, 'name'> {
  const { source, artifacts, environment, serviceRole, logsConfig, timeoutInMinutes, queuedTimeoutInMinutes } = project;
  const isOnLambda = environment?.type?.endsWith('_LAMBDA_CONTAINER') ?? false;
  return {
    description: 'Builds one application',
    source,
    artifacts,
    environment,
    serviceRole,
    logsConfig,
    ...(!isOnLambda && { timeoutInMinutes, queuedTimeoutInMinutes }),
  };
}
