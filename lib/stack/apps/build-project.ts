import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BuildSpec, ComputeType, LinuxArmLambdaBuildImage, Project } from 'aws-cdk-lib/aws-codebuild';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { allow } from '../access/access.ts';
import { buildCommand } from './build-command.ts';

/**
 * The project that builds applications, and its log. It runs on Lambda compute, which ends a build after 15 minutes and
 * takes no limits of the project: https://docs.aws.amazon.com/codebuild/latest/userguide/lambda.html#lambda.limitations
 *
 * Install scripts run anything, so its role may write the log and
 * nothing else; the tarball, the release and the packages are read and written by addresses that are signed for one
 * object each.
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
    this.project = new Project(this, 'Project', {
      description: 'Builds the applications that are pushed',
      buildSpec: BuildSpec.fromObject(buildspec()),
      environment: {
        buildImage: LinuxArmLambdaBuildImage.AMAZON_LINUX_2023_NODE_24,
        computeType: ComputeType.LAMBDA_4GB,
      },
      logging: { cloudWatch: { logGroup: this.logGroup } },
      grantReportGroupPermissions: false,
      // The role as it is: the construct would let builds make log groups.
      role: this.#role().withoutPolicyUpdates(),
    });
    Validations.of(this.project).acknowledge({
      id: 'AwsSolutions-CB4',
      reason:
        'The project stores no artifacts and no cache of its own; what a build makes goes to an encrypted bucket.',
    });
  }

  #role(): Role {
    const writeLog = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], this.logGroup.logGroupArn);
    return new Role(this, 'Role', {
      description: 'Builds of applications: write their log, and nothing else',
      assumedBy: new ServicePrincipal('codebuild.amazonaws.com'),
      inlinePolicies: { own: new PolicyDocument({ statements: [writeLog] }) },
    });
  }
}

function buildspec() {
  return { version: '0.2', phases: { build: { commands: [buildCommand()] } } };
}
