import { Aws, CfnCondition, Duration, Fn, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  BuildSpec,
  CfnProject,
  ComputeType,
  LinuxArmLambdaBuildImage,
  LinuxBuildImage,
  Project,
  type ProjectProps,
  Source,
} from 'aws-cdk-lib/aws-codebuild';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { LAMBDA_COMPUTE } from '../../../functions/adapters/aws/regions.ts';
import { allow, ofVariables } from '../access/access.ts';
import { BUILD_COMMAND, buildAsset } from './build-asset.ts';

/**
 * The image of Lambda has a folder below /tmp first on its PATH, in which an earlier build on the same machine may have
 * left programs. https://github.com/aws/aws-codebuild-docker-images/tree/master/al-lambda
 */
const LAMBDA_PATH = '/var/lang/bin:/usr/local/bin:/usr/bin:/bin';

/**
 * What a build runs on: Lambda compute, which ends it after 15 minutes and takes no limits of the project, and in
 * regions without it a container, for which the same limits are set. Releases run on the architecture that they are
 * built on. https://docs.aws.amazon.com/codebuild/latest/userguide/lambda.html#lambda.limitations
 */
export const COMPUTE = {
  lambda: {
    environment: {
      buildImage: LinuxArmLambdaBuildImage.AMAZON_LINUX_2023_NODE_24,
      computeType: ComputeType.LAMBDA_4GB,
    },
    buildSpec: buildspec(LAMBDA_PATH, {}),
  },
  container: {
    // The only environment that every region of CodeBuild has; of Arm in containers none but those ten is documented.
    environment: { buildImage: LinuxBuildImage.AMAZON_LINUX_2023_6, computeType: ComputeType.SMALL },
    buildSpec: buildspec(`${LAMBDA_PATH}:$PATH`, { install: { 'runtime-versions': { nodejs: 24 } } }),
    timeout: Duration.minutes(15),
    // As long as the addresses of a job are valid, together with the build.
    queuedTimeout: Duration.minutes(30),
  },
} as const satisfies Readonly<Record<string, ProjectProps>>;

/**
 * The project that those of applications are made as, one each, and their log.
 *
 * Install scripts run anything, so its role may write the log, read the program that builds, open variables and
 * nothing else; the tarball, the release and the packages are read and written by addresses that are signed for one object each.
 */
export class BuildProject extends Construct {
  readonly project: Project;
  readonly logGroup: LogGroup;
  readonly role: Role;
  /** True in the regions whose builds run on Lambda compute, on Arm. */
  readonly onLambdaCompute: CfnCondition;

  constructor(scope: Construct, id: string, sealingKey: IKey) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.onLambdaCompute = new CfnCondition(this, 'OnLambdaCompute', {
      expression: Fn.conditionOr(...LAMBDA_COMPUTE.map((name) => Fn.conditionEquals(Aws.REGION, name))),
    });
    const program = buildAsset(this);
    this.role = this.#role(program, sealingKey);
    this.project = this.#project(program);
  }

  #project(program: Asset): Project {
    const project = new Project(this, 'Project', {
      description: 'Builds the applications that are pushed',
      source: Source.s3({ bucket: program.bucket, path: program.s3ObjectKey }),
      ...COMPUTE.lambda,
      logging: { cloudWatch: { logGroup: this.logGroup } },
      grantReportGroupPermissions: false,
      // The role as it is: the construct would let builds make log groups.
      role: this.role.withoutPolicyUpdates(),
    });
    Validations.of(project).acknowledge({
      id: 'AwsSolutions-CB4',
      reason: 'The project stores neither artifacts nor a cache; what a build makes goes to an encrypted bucket.',
    });
    this.#elsewhereInContainers(project);
    return project;
  }

  /** Outside of the regions with Lambda compute, the project is what it would be with the compute of containers. */
  #elsewhereInContainers({ node }: Project): void {
    const resource = node.defaultChild;
    if (!(resource instanceof CfnProject)) throw new Error('The project has no resource in the template.');
    const { lambda, container } = COMPUTE;
    const either = (onLambda: unknown, inContainer: unknown) =>
      Fn.conditionIf(this.onLambdaCompute.logicalId, onLambda, inContainer);
    const values = {
      'Environment.Type': either(lambda.environment.buildImage.type, container.environment.buildImage.type),
      'Environment.Image': either(lambda.environment.buildImage.imageId, container.environment.buildImage.imageId),
      'Environment.ComputeType': either(lambda.environment.computeType, container.environment.computeType),
      'Source.BuildSpec': either(lambda.buildSpec.toBuildSpec(), container.buildSpec.toBuildSpec()),
      TimeoutInMinutes: either(Aws.NO_VALUE, container.timeout.toMinutes()),
      QueuedTimeoutInMinutes: either(Aws.NO_VALUE, container.queuedTimeout.toMinutes()),
    };
    for (const [path, value] of Object.entries(values)) resource.addPropertyOverride(path, value);
  }

  /** https://docs.aws.amazon.com/codebuild/latest/userguide/setting-up-service-role.html */
  #role({ bucket, s3ObjectKey }: Asset, { keyArn }: IKey): Role {
    const statements = [
      allow(['logs:CreateLogStream', 'logs:PutLogEvents'], this.logGroup.logGroupArn),
      allow(['s3:GetObject', 's3:GetObjectVersion'], bucket.arnForObjects(s3ObjectKey)),
      allow(['s3:GetBucketAcl', 's3:GetBucketLocation'], bucket.bucketArn),
      // A build has the sealed variables of its own application alone.
      ofVariables(allow(['kms:Decrypt'], keyArn)),
    ];
    return new Role(this, 'Role', {
      description:
        'Builds of applications: write their log, read the program that builds, open their variables, and nothing else',
      // https://docs.aws.amazon.com/codebuild/latest/userguide/cross-service-confused-deputy-prevention.html
      assumedBy: new ServicePrincipal('codebuild.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: { own: new PolicyDocument({ statements }) },
    });
  }
}

/**
 * The image of containers has several versions of Node: `al/x86_64/standard/6.0/runtimes.yml` of AWS's images. The one
 * that is chosen is on the PATH that it has.
 */
function buildspec(path: string, phases: object): BuildSpec {
  const commands = [`export PATH="${path}"`, BUILD_COMMAND];
  return BuildSpec.fromObject({ version: '0.2', phases: { ...phases, build: { commands } } });
}
