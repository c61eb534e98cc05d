import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BuildSpec, ComputeType, LinuxArmLambdaBuildImage, Project, Source } from 'aws-cdk-lib/aws-codebuild';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { allow } from '../access/access.ts';
import { BUILD_COMMAND, buildAsset } from './build-asset.ts';

/**
 * The project that builds applications, and its log. It runs on Lambda compute, which ends a build after 15 minutes and
 * takes no limits of the project: https://docs.aws.amazon.com/codebuild/latest/userguide/lambda.html#lambda.limitations
 *
 * Install scripts run anything, so its role may write the log, read the program that builds and nothing else; the
 * tarball, the release and the packages are read and written by addresses that are signed for one object each.
 */
export class BuildProject extends Construct {
  readonly project: Project;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const program = buildAsset(this);
    this.project = new Project(this, 'Project', {
      description: 'Builds the applications that are pushed',
      source: Source.s3({ bucket: program.bucket, path: program.s3ObjectKey }),
      buildSpec: BuildSpec.fromObject(buildspec()),
      environment: {
        buildImage: LinuxArmLambdaBuildImage.AMAZON_LINUX_2023_NODE_24,
        computeType: ComputeType.LAMBDA_4GB,
      },
      logging: { cloudWatch: { logGroup: this.logGroup } },
      grantReportGroupPermissions: false,
      // The role as it is: the construct would let builds make log groups.
      role: this.#role(program).withoutPolicyUpdates(),
    });
    Validations.of(this.project).acknowledge({
      id: 'AwsSolutions-CB4',
      reason: 'The project stores neither artifacts nor a cache; what a build makes goes to an encrypted bucket.',
    });
  }

  /** https://docs.aws.amazon.com/codebuild/latest/userguide/setting-up-service-role.html */
  #role({ bucket, s3ObjectKey }: Asset): Role {
    const statements = [
      allow(['logs:CreateLogStream', 'logs:PutLogEvents'], this.logGroup.logGroupArn),
      allow(['s3:GetObject', 's3:GetObjectVersion'], bucket.arnForObjects(s3ObjectKey)),
      allow(['s3:GetBucketAcl', 's3:GetBucketLocation'], bucket.bucketArn),
    ];
    return new Role(this, 'Role', {
      description: 'Builds of applications: write their log, read the program that builds, and nothing else',
      assumedBy: new ServicePrincipal('codebuild.amazonaws.com'),
      inlinePolicies: { own: new PolicyDocument({ statements }) },
    });
  }
}

/**
 * The image has a folder below /tmp first on its PATH, and builds of others may have run on the same machine.
 * https://github.com/aws/aws-codebuild-docker-images/tree/master/al-lambda
 */
function buildspec() {
  const commands = ['export PATH="/var/lang/bin:/usr/local/bin:/usr/bin:/bin:$PATH"', BUILD_COMMAND];
  return { version: '0.2', phases: { build: { commands } } };
}
