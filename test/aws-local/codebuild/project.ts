import type { ProjectEnvironment } from '@aws-sdk/client-codebuild';
import * as v from 'valibot';
import { parse as parseYaml } from 'yaml';
import { OperatorError } from '../../../lib/files/errors.ts';
import { nameOfResource } from '../resources/resources.ts';
import type { Resource, Template } from '../template/template.ts';

const variable = v.object({
  Name: v.string(),
  Value: v.string(),
  Type: v.optional(v.literal('PLAINTEXT', 'must be PLAINTEXT'), 'PLAINTEXT'),
});

/** https://docs.aws.amazon.com/codebuild/latest/userguide/lambda.html#lambda.limitations */
const LAMBDA_MINUTES = 15;

const Properties = v.looseObject({
  Source: v.looseObject({
    Type: v.picklist(['NO_SOURCE', 'S3'], 'must be NO_SOURCE or S3'),
    BuildSpec: v.string(),
    Location: v.optional(v.string()),
  }),
  ServiceRole: v.string(),
  Artifacts: v.looseObject({ Type: v.literal('NO_ARTIFACTS', 'must be NO_ARTIFACTS') }),
  Environment: v.looseObject({
    Type: v.string(),
    Image: v.string(),
    ComputeType: v.string(),
    EnvironmentVariables: v.optional(v.array(variable), []),
    PrivilegedMode: v.optional(v.boolean(), false),
  }),
  TimeoutInMinutes: v.optional(v.number()),
  QueuedTimeoutInMinutes: v.optional(v.number()),
  BadgeEnabled: v.optional(v.boolean(), false),
  VpcConfig: v.optional(v.looseObject({})),
  Cache: v.optional(v.looseObject({ Type: v.string() }), { Type: 'NO_CACHE' }),
  LogsConfig: v.optional(
    v.looseObject({
      CloudWatchLogs: v.optional(
        v.looseObject({ GroupName: v.optional(v.string()), StreamName: v.optional(v.string()) }),
      ),
    }),
  ),
});

/** A project of the template, or one that was created by a call. */
export interface Project {
  readonly name: string;
  /** As in a template. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Of the phase `build`. */
  readonly commands: readonly string[];
  /** The folder of the asset that a build gets a copy of. */
  readonly source: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMinutes: number;
  readonly environment: ProjectEnvironment & { readonly image: string };
  /** ARN of the role that CodeBuild acts with, before and during a build. */
  readonly serviceRole: string;
  /** The bucket and the key of the source. */
  readonly sourceLocation: string | undefined;
  readonly logGroup: string;
  /** The prefix of a build's log stream, before the id of the build. */
  readonly logStreamPrefix: string;
}

/**
 * Reads the CodeBuild projects of a template.
 *
 * @throws OperatorError for one that needs more than is emulated
 */
export function projectsOf(template: Template): Map<string, Project> {
  const projects = template
    .ofType('AWS::CodeBuild::Project')
    .map((resource) => projectOf({ ...resource, name: nameOfResource(resource), properties: resource.properties }));
  return new Map(projects.map((project) => [project.name, project]));
}

/** A project as it is declared. */
type Declared = Pick<Resource, 'logicalId' | 'properties' | 'assetPath'> & { readonly name: string };

/**
 * Returns a project.
 *
 * @throws OperatorError for one that needs more than is emulated, or that CodeBuild refuses
 */
export function projectOf(resource: Declared): Project {
  const { name, properties } = resource;
  const result = v.safeParse(Properties, properties);
  if (!result.success) {
    const [issue] = result.issues;
    throw new OperatorError(`${resource.logicalId} does not run here: ${v.getDotPath(issue)} ${issue.message}.`);
  }
  const { Source, Environment, TimeoutInMinutes, LogsConfig, ServiceRole } = result.output;
  const isLambdaCompute = Environment.Type.endsWith('_LAMBDA_CONTAINER');
  if (isLambdaCompute) refuseForLambda(resource, result.output);
  const missing = notOffered(Environment);
  if (missing !== undefined)
    throw new OperatorError(`${resource.logicalId} is refused: CodeBuild does not offer ${missing}.`);
  const { GroupName, StreamName } = LogsConfig?.CloudWatchLogs ?? {};
  return {
    name,
    properties,
    serviceRole: ServiceRole,
    source: sourceOf(resource, Source.Type),
    sourceLocation: Source.Type === 'S3' ? Source.Location : undefined,
    commands: commandsOf(Source.BuildSpec, Environment.Image, resource.logicalId),
    variables: Object.fromEntries(Environment.EnvironmentVariables.map(({ Name, Value }) => [Name, Value])),
    timeoutMinutes: TimeoutInMinutes ?? (isLambdaCompute ? LAMBDA_MINUTES : 60),
    environment: {
      type: Environment.Type,
      image: Environment.Image,
      computeType: Environment.ComputeType,
    } as Project['environment'],
    logGroup: GroupName ?? `/aws/codebuild/${name}`,
    logStreamPrefix: StreamName === undefined ? '' : `${StreamName}/`,
  };
}

/**
 * The versions of Node that a build can select, by image; the images of Lambda compute have one each and no selection.
 * The program that builds runs with the Node of this process, whichever is selected.
 * https://github.com/aws/aws-codebuild-docker-images/blob/master/al/x86_64/standard/6.0/runtimes.yml
 */
const SELECTABLE_NODE: Readonly<Record<string, readonly number[]>> = {
  'aws/codebuild/amazonlinux-x86_64-standard:6.0': [22, 24],
};

/** What is emulated of a buildspec; anything else in one is an error. */
const Buildspec = v.strictObject({
  version: v.literal('0.2', 'must be 0.2'),
  phases: v.strictObject({
    install: v.optional(v.strictObject({ 'runtime-versions': v.strictObject({ nodejs: v.number() }) })),
    build: v.strictObject({ commands: v.array(v.string()) }),
  }),
});

/** https://docs.aws.amazon.com/codebuild/latest/userguide/build-spec-ref.html */
export function commandsOf(buildspec: string, image: string, of: string): readonly string[] {
  const refused = (why: string) => new OperatorError(`The buildspec of ${of} does not run here: ${why}.`);
  const result = v.safeParse(Buildspec, parseYaml(buildspec));
  if (!result.success) {
    const [issue] = result.issues;
    throw refused(`${v.getDotPath(issue) ?? 'it'} ${issue.message}`);
  }
  const { install, build } = result.output.phases;
  const node = install?.['runtime-versions'].nodejs;
  const versions = Object.hasOwn(SELECTABLE_NODE, image) ? SELECTABLE_NODE[image] : undefined;
  if (node !== undefined && !versions) throw refused(`${image} does not support selecting runtime versions`);
  if (node !== undefined && !versions?.includes(node)) throw refused(`${image} has no nodejs ${node}`);
  return build.commands;
}

function sourceOf({ logicalId, assetPath }: Declared, type: 'NO_SOURCE' | 'S3'): string | undefined {
  if (type === 'S3' && assetPath === undefined) {
    throw new OperatorError(`${logicalId} does not run here: its source must be an asset of the stack.`);
  }
  return type === 'S3' ? assetPath : undefined;
}

/** AWS creates no project with these; its text is known for the two timeouts. */
function refuseForLambda({ logicalId }: Declared, properties: v.InferOutput<typeof Properties>): void {
  const given = {
    timeoutInMinutes: properties.TimeoutInMinutes !== undefined,
    queuedTimeoutInMinutes: properties.QueuedTimeoutInMinutes !== undefined,
    cache: properties.Cache.Type !== 'NO_CACHE',
    badgeEnabled: properties.BadgeEnabled,
    privilegedMode: properties.Environment.PrivilegedMode,
    vpcConfig: properties.VpcConfig !== undefined,
  };
  const refused = Object.entries(given).find(([, isGiven]) => isGiven);
  if (refused)
    throw new OperatorError(`${logicalId} is refused by CodeBuild: Cannot specify ${refused[0]} for lambda compute.`);
}

/** What CodeBuild offers for a type of environment. */
interface Offer {
  readonly images: readonly string[];
  readonly computeTypes: readonly string[];
}

/**
 * The types of environment that a project may have here, with CodeBuild's own images that have Node, and the computes.
 *
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/lambda-compute-images.html
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/ec2-compute-images.html
 * @see https://docs.aws.amazon.com/codebuild/latest/APIReference/API_ProjectEnvironment.html
 */
const OFFERED: Readonly<Record<string, Offer>> = {
  ARM_LAMBDA_CONTAINER: {
    images: ['18', '20', '22', '24'].map((node) => `aws/codebuild/amazonlinux-aarch64-lambda-standard:nodejs${node}`),
    computeTypes: ['1GB', '2GB', '4GB', '8GB', '10GB'].map((memory) => `BUILD_LAMBDA_${memory}`),
  },
  LINUX_CONTAINER: {
    images: [
      ...['4.0', '5.0', '6.0'].map((version) => `aws/codebuild/amazonlinux-x86_64-standard:${version}`),
      ...['6.0', '7.0', '8.0'].map((version) => `aws/codebuild/standard:${version}`),
    ],
    computeTypes: ['SMALL', 'MEDIUM', 'LARGE', 'XLARGE', '2XLARGE'].map((size) => `BUILD_GENERAL1_${size}`),
  },
};

type Environment = v.InferOutput<typeof Properties>['Environment'];

/** Returns what CodeBuild does not offer of an environment; undefined when it offers all of it. */
function notOffered({ Type: type, Image: image, ComputeType: computeType }: Environment): string | undefined {
  const offer = OFFERED[type];
  if (!offer) return `the environment type ${type}`;
  if (!offer.images.includes(image)) return `the image ${image} for ${type}`;
  return offer.computeTypes.includes(computeType) ? undefined : `the compute type ${computeType} for ${type}`;
}
