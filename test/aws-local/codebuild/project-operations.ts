import type {
  BatchGetProjectsInput,
  CreateProjectInput,
  DeleteProjectInput,
  UpdateProjectInput,
} from '@aws-sdk/client-codebuild';
import { OperatorError } from '../../../lib/files/errors.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import { isRecord } from '../template/intrinsics.ts';
import { operation, ServiceError } from '../wire/service.ts';
import { type Project, projectOf } from './project.ts';

const MEMBERS = [
  ...(['name', 'description', 'source', 'artifacts', 'environment', 'serviceRole', 'logsConfig'] as const),
  ...(['timeoutInMinutes', 'queuedTimeoutInMinutes'] as const),
];

/**
 * The operations on projects. The source of one that is created must be that of a project of the template.
 *
 * @param roles ARNs of those that CodeBuild may assume
 */
export function projectOperations(projects: Map<string, Project>, roles: ReadonlySet<string>) {
  return {
    BatchGetProjects: operation<BatchGetProjectsInput>(['names'], ({ names = [] }) => ({
      projects: names.flatMap((name) => described(projects.get(name))),
      projectsNotFound: names.filter((name) => !projects.has(name)),
    })),
    CreateProject: operation<CreateProjectInput>(MEMBERS, (input) => {
      const { name = '' } = input;
      if (projects.has(name)) throw new ServiceError('ResourceAlreadyExistsException', `${name} already exists`);
      refuseRole(roles, input.serviceRole);
      return put(projects, input);
    }),
    UpdateProject: operation<UpdateProjectInput>(MEMBERS, (input) => {
      const { name = '' } = input;
      if (!projects.has(name)) throw new ServiceError('ResourceNotFoundException', `${name} does not exist`);
      if (input.serviceRole !== undefined) refuseRole(roles, input.serviceRole);
      return put(projects, input);
    }),
    DeleteProject: operation<DeleteProjectInput>(['name'], ({ name = '' }) => {
      projects.delete(name);
      return {};
    }),
  };
}

function refuseRole(roles: ReadonlySet<string>, role = ''): void {
  if (roles.has(role)) return;
  const sentence = `CodeBuild is not authorized to perform: sts:AssumeRole on service role. Please verify that: 1) The provided service role exists, 2) The role name is case-sensitive and matches exactly, and 3) The role has the necessary trust policy configured.`;
  throw new ServiceError('InvalidInputException', sentence);
}

function put(projects: Map<string, Project>, { name = '', ...input }: CreateProjectInput | UpdateProjectInput): object {
  const properties = renamed(input, propertyOf) as Record<string, unknown>;
  const source = [...projects.values()].find((one) => locationOf(one.properties) === locationOf(properties))?.source;
  try {
    const project = projectOf({
      name,
      logicalId: name,
      properties,
      ...(source !== undefined && { assetPath: source }),
    });
    projects.set(name, project);
    return { project: described(project)[0] };
  } catch (error) {
    if (error instanceof OperatorError) throw new ServiceError('InvalidInputException', error.message);
    throw error;
  }
}

function locationOf({ Source }: Readonly<Record<string, unknown>>): unknown {
  return isRecord(Source) ? Source.Location : undefined;
}

function described(project: Project | undefined): object[] {
  if (!project) return [];
  const { name, properties, timeoutMinutes } = project;
  const all = renamed(properties, memberOf) as Record<string, unknown>;
  const known = Object.fromEntries(MEMBERS.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])));
  const arn = `arn:aws:codebuild:${REGION}:${ACCOUNT}:project/${name}`;
  // CodeBuild names the limit of Lambda compute too, which it refuses to be given.
  return [{ ...known, name, arn, timeoutInMinutes: timeoutMinutes }];
}

/** Members of calls begin with a small letter, properties of a template with a capital. */
function memberOf(property: string): string {
  return property === 'BuildSpec' ? 'buildspec' : property[0]?.toLowerCase() + property.slice(1);
}

function propertyOf(member: string): string {
  return member === 'buildspec' ? 'BuildSpec' : member[0]?.toUpperCase() + member.slice(1);
}

function renamed(value: unknown, name: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, name));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [name(key), renamed(one, name)]));
}
