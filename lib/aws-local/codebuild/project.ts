import * as v from 'valibot';
import { OperatorError } from '../../processes/operator-error.ts';
import { nameOfResource } from '../resources/resources.ts';
import type { Resource } from '../template/resource.ts';
import type { Template } from '../template/template.ts';
import { type Buildspec, parseBuildspec } from './buildspec.ts';

const variable = v.object({
  Name: v.string(),
  Value: v.string(),
  Type: v.optional(v.literal('PLAINTEXT', 'must be PLAINTEXT'), 'PLAINTEXT'),
});

const Properties = v.looseObject({
  Source: v.looseObject({ Type: v.literal('NO_SOURCE', 'must be NO_SOURCE'), BuildSpec: v.string() }),
  Artifacts: v.looseObject({ Type: v.literal('NO_ARTIFACTS', 'must be NO_ARTIFACTS') }),
  Environment: v.looseObject({
    Type: v.string(),
    Image: v.string(),
    ComputeType: v.string(),
    EnvironmentVariables: v.optional(v.array(variable), []),
  }),
  TimeoutInMinutes: v.optional(v.number(), 60),
  LogsConfig: v.optional(
    v.looseObject({
      CloudWatchLogs: v.optional(
        v.looseObject({ GroupName: v.optional(v.string()), StreamName: v.optional(v.string()) }),
      ),
    }),
  ),
});

/** A project of the template. */
export interface Project {
  readonly name: string;
  readonly buildspec: Buildspec;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMinutes: number;
  readonly environment: { readonly type: string; readonly image: string; readonly computeType: string };
  readonly logGroup: string;
  /** The prefix of a build's log stream, before the id of the build. */
  readonly logStreamPrefix: string;
}

/**
 * Reads the CodeBuild projects of a template.
 *
 * @throws OperatorError for one that needs more than is emulated
 */
export function projectsOf(template: Template): ReadonlyMap<string, Project> {
  const projects = template.ofType('AWS::CodeBuild::Project').map(projectOf);
  return new Map(projects.map((project) => [project.name, project]));
}

function projectOf(resource: Resource): Project {
  const result = v.safeParse(Properties, resource.properties);
  if (!result.success) {
    const [issue] = result.issues;
    throw new OperatorError(`${resource.logicalId} does not run here: ${v.getDotPath(issue)} ${issue.message}.`);
  }
  const { Source, Environment, TimeoutInMinutes, LogsConfig } = result.output;
  const name = nameOfResource(resource);
  const { GroupName, StreamName } = LogsConfig?.CloudWatchLogs ?? {};
  return {
    name,
    buildspec: parseBuildspec(Source.BuildSpec, resource.logicalId),
    variables: Object.fromEntries(Environment.EnvironmentVariables.map(({ Name, Value }) => [Name, Value])),
    timeoutMinutes: TimeoutInMinutes,
    environment: { type: Environment.Type, image: Environment.Image, computeType: Environment.ComputeType },
    logGroup: GroupName ?? `/aws/codebuild/${name}`,
    logStreamPrefix: StreamName === undefined ? '' : `${StreamName}/`,
  };
}
