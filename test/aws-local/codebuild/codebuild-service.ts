import { createHash } from 'node:crypto';
import type {
  BatchGetBuildsInput,
  Build,
  EnvironmentVariable,
  ListBuildsForProjectInput,
  StartBuildInput,
  StopBuildInput,
} from '@aws-sdk/client-codebuild';
import { ACCOUNT, REGION } from '../clients.ts';
import { operation, type Service, ServiceError } from '../wire/service.ts';
import { ShapeError } from '../wire/shapes.ts';
import { type BuildRecord, idOf } from './build-record.ts';
import type { Builder } from './builder.ts';
import { commandsOf, type Project } from './project.ts';
import { projectOperations } from './project-operations.ts';

const TOKEN_LIFE_MS = 5 * 60_000;
/** https://docs.aws.amazon.com/codebuild/latest/userguide/limits.html */
const MAX_ENVIRONMENT_CHARACTERS = 5500;
const MAX_IDS = 100;

/**
 * CodeBuild for the projects of the template.
 *
 * @param roles ARNs of those that CodeBuild may assume
 *
 * @see https://docs.aws.amazon.com/codebuild/latest/APIReference/API_Operations.html
 */
export function codeBuildService(
  projects: Map<string, Project>,
  builder: Builder,
  roles: ReadonlySet<string>,
): Service {
  const projectOf = (name = ''): Project => {
    const found = projects.get(name);
    if (found) return found;
    const arn = `arn:aws:codebuild:${REGION}:${ACCOUNT}:project/${name}`;
    throw new ServiceError('ResourceNotFoundException', `Project cannot be found: ${arn}`);
  };
  return {
    name: 'CodeBuild',
    target: 'CodeBuild_20161006',
    load: () => import('@aws-sdk/client-codebuild'),
    operations: {
      ...projectOperations(projects, roles),
      StartBuild: operation<StartBuildInput>(
        ['projectName', 'idempotencyToken', 'buildspecOverride', 'environmentVariablesOverride'],
        (input) => {
          const declared = projectOf(input.projectName);
          const { buildspecOverride: other } = input;
          const project =
            other === undefined
              ? declared
              : { ...declared, commands: commandsOf(other, declared.environment.image, declared.name) };
          return { build: describe(knownBuild(builder, project, input) ?? startBuild(builder, project, input)) };
        },
      ),
      // The newest first, which is the default, and all of them.
      ListBuildsForProject: operation<ListBuildsForProjectInput>(['projectName'], ({ projectName }) => ({
        ids: builder.ofProject(projectOf(projectName).name).map(idOf),
      })),
      BatchGetBuilds: operation<BatchGetBuildsInput>(['ids'], ({ ids = [] }) => {
        if (ids.length === 0 || ids.length > MAX_IDS) throw invalid(`ids must have 1 to ${MAX_IDS} items`);
        const found = ids.flatMap((id) => builder.find(plainId(id)) ?? []);
        const missing = ids.filter((id) => !builder.find(plainId(id)));
        return { builds: found.map(describe), buildsNotFound: missing };
      }),
      StopBuild: operation<StopBuildInput>(['id'], async ({ id = '' }) => {
        await builder.stop(plainId(id));
        const build = builder.find(plainId(id));
        if (!build) throw new ServiceError('ResourceNotFoundException', `Build ${id} cannot be found`);
        return { build: describe(build) };
      }),
    },
  };
}

/** Returns the build that was started with the same token, which must be for the same. */
function knownBuild(builder: Builder, project: Project, input: StartBuildInput): BuildRecord | undefined {
  const { idempotencyToken: token } = input;
  if (token === undefined) return undefined;
  const since = Date.now() - TOKEN_LIFE_MS;
  const builds = builder.ofProject(project.name).filter(({ startedAt }) => startedAt > since);
  const known = builds.find((build) => build.token?.value === token);
  if (known && known.token?.request !== fingerprint(input)) {
    throw invalid('The idempotency token was used with other parameters.');
  }
  return known;
}

function startBuild(builder: Builder, project: Project, input: StartBuildInput): BuildRecord {
  const { idempotencyToken, environmentVariablesOverride = [] } = input;
  const variables = variablesOf(environmentVariablesOverride);
  const all = Object.entries({ ...project.variables, ...variables });
  if (all.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_ENVIRONMENT_CHARACTERS) {
    throw invalid(`The environment variables have more than ${MAX_ENVIRONMENT_CHARACTERS} characters.`);
  }
  return builder.start(project, {
    variables,
    token: idempotencyToken === undefined ? undefined : { value: idempotencyToken, request: fingerprint(input) },
  });
}

function variablesOf(given: readonly EnvironmentVariable[]): Record<string, string> {
  const other = given.find(({ type = 'PLAINTEXT' }) => type !== 'PLAINTEXT');
  if (other) throw new ShapeError(`an environment variable of the type ${other.type} is not emulated`);
  return Object.fromEntries(given.map(({ name = '', value = '' }) => [name, value]));
}

function fingerprint(input: StartBuildInput): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex');
}

function plainId(idOrArn: string): string {
  return idOrArn.replace(/^arn:aws:codebuild:[^:]*:[^:]*:build\//, '');
}

function describe(build: BuildRecord): Build {
  const { status, phases, startedAt, logGroup, logStream } = build;
  const variables = Object.entries(build.variables).map(([name, value]) => ({
    name,
    value,
    type: 'PLAINTEXT' as const,
  }));
  return {
    id: idOf(build),
    projectName: build.project,
    buildStatus: status,
    buildComplete: status !== 'IN_PROGRESS',
    currentPhase: phases.at(-1)?.type ?? 'SUBMITTED',
    startTime: new Date(startedAt),
    environment: { ...build.environment, environmentVariables: variables },
    logs: { groupName: logGroup, streamName: logStream },
    phases: phases.map((phase) => ({
      phaseType: phase.type as NonNullable<NonNullable<Build['phases']>[number]['phaseType']>,
      ...(phase.status !== undefined && { phaseStatus: phase.status }),
      startTime: new Date(phase.startedAt),
      ...(phase.failure !== undefined && {
        contexts: [{ statusCode: 'COMMAND_EXECUTION_ERROR', message: phase.failure }],
      }),
    })),
  };
}

function invalid(message: string): ServiceError {
  return new ServiceError('InvalidInputException', message);
}
