import { Aws, Duration, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { adapterLayer } from '../../../functions/adapters/aws/regions.ts';
import { allow } from '../access/access.ts';
import type { ServiceFunction } from '../function.ts';
import { logicalId } from '../stores.ts';
import { BuildProject } from './build-project.ts';

/** As in the adapter's names.ts: what the platform says about an application. */
const PLATFORM_STREAM = 'platform';

/**
 * The platform that runs applications in this account: each as a separate Lambda function, built by CodeBuild.
 * Nothing here costs anything while nobody deploys and nobody calls an application.
 */
export class AppsPlatform extends Construct {
  /** Applications, snapshots. */
  readonly table: TableV2;
  /** Tarballs to build, releases, downloaded packages. */
  readonly bucket: Bucket;
  readonly build: BuildProject;
  /** The role of all applications: they write their logs. */
  readonly appRole: Role;
  /** The prefix of the names of the applications' functions. */
  readonly functionPrefix: string;
  /** The architecture of the applications' functions, and of their builds. */
  readonly architecture: string;
  readonly adapterLayer: string;

  /** @param sealingKey seals the variables of applications */
  constructor(scope: Construct, id: string, sealingKey: IKey) {
    super(scope, id);
    this.functionPrefix = `${Aws.STACK_NAME}-app`;
    this.table = appsTable(this);
    this.bucket = appsBucket(this);
    this.build = new BuildProject(this, 'Build', sealingKey);
    const { logicalId: onLambdaCompute } = this.build.onLambdaCompute;
    this.architecture = Fn.conditionIf(onLambdaCompute, 'arm64', 'x86_64').toString();
    const layer = Fn.conditionIf(onLambdaCompute, 'Arm64', 'X86').toString();
    this.adapterLayer = adapterLayer({ partition: Aws.PARTITION, region: Aws.REGION, architecture: layer });
    this.appRole = this.#roleOfApps();
    this.#acknowledgeWildcards();
  }

  /** The ARN of the functions of all applications, and of the log groups of all of them. */
  get functionArn(): string {
    return `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${this.functionPrefix}-*`;
  }

  /** The ARN of the functions that run the commands of applications. */
  get jobFunctionArn(): string {
    return `${this.functionArn}-do`;
  }

  /** The ARN of the projects of all applications. */
  get projectArn(): string {
    return `arn:${Aws.PARTITION}:codebuild:${Aws.REGION}:${Aws.ACCOUNT_ID}:project/${this.functionPrefix}-*`;
  }

  get logGroupArn(): string {
    return `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:/aws/lambda/${this.functionPrefix}-*`;
  }

  /** Tells a function of each build that has ended. A lost event is noticed by the sweep. */
  announceTo(target: ServiceFunction): void {
    const rule = new CfnRule(this, 'BuildEnded', {
      description: 'Builds of applications that have ended',
      eventPattern: {
        source: ['aws.codebuild'],
        'detail-type': ['CodeBuild Build State Change'],
        detail: {
          'project-name': [{ prefix: `${this.functionPrefix}-` }],
          'build-status': ['SUCCEEDED', 'FAILED', 'FAULT', 'STOPPED', 'TIMED_OUT'],
        },
      },
      targets: [{ id: 'Target0', arn: target.functionArn }],
    });
    new CfnPermission(this, 'MayTell', {
      action: 'lambda:InvokeFunction',
      functionName: target.functionArn,
      principal: 'events.amazonaws.com',
      sourceArn: rule.attrArn,
    });
  }

  /** Lets the logs of applications invoke a function; the filters come and go with the applications. */
  tellOfEnds(target: { readonly functionArn: string }): void {
    new CfnPermission(this, 'LogsMayTell', {
      action: 'lambda:InvokeFunction',
      functionName: target.functionArn,
      principal: 'logs.amazonaws.com',
      sourceAccount: Aws.ACCOUNT_ID,
      sourceArn: `${this.logGroupArn}:*`,
    });
  }

  /**
   * All applications share one role and have its credentials. A stream can be made only in the log that has the
   * function's name as its tag, also by the function that runs its commands, and streams of Lambda have names that cannot be guessed. Lambda itself writes logs with
   * the ARN of the function too, so that all other calls cannot simply be denied.
   * https://docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html
   * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/iam-identity-based-access-control-cwl.html
   */
  #roleOfApps(): Role {
    const logs = `${this.logGroupArn}:*`;
    const open = allow(['logs:CreateLogStream'], logs);
    const functionOfLog = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:\${aws:ResourceTag/function}`;
    open.addCondition('StringLike', {
      'lambda:SourceFunctionArn': [functionOfLog, `${functionOfLog}:*`, `${functionOfLog}-do`, `${functionOfLog}-do:*`],
    });
    const ofPlatform = new PolicyStatement({
      effect: Effect.DENY,
      actions: ['logs:PutLogEvents'],
      resources: [`${this.logGroupArn}:log-stream:${PLATFORM_STREAM}`],
    });
    return new Role(this, 'AppRole', {
      description: 'Applications: write their own logs, and nothing else',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        own: new PolicyDocument({ statements: [open, allow(['logs:PutLogEvents'], logs), ofPlatform] }),
      },
    });
  }

  /** Applications come and go, so the functions that work with them are allowed all that have their prefix. */
  #acknowledgeWildcards(): void {
    const inAccount = (service: string, what: string) =>
      `arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${what}<AWS::StackName>-app-*`;
    const logs = inAccount('logs', 'log-group:/aws/lambda/');
    const folders = ['', 'snapshots/', 'jobs/', 'releases/', 'runs/', 'caches/'];
    const resources = [
      ...folders.map((folder) => `<${logicalId(this.bucket)}.Arn>/${folder}*`),
      ...[
        inAccount('lambda', 'function:'),
        `${inAccount('lambda', 'function:')}-do`,
        inAccount('codebuild', 'project/'),
        logs,
        `${logs}:*`,
      ],
    ];
    for (const resource of resources) {
      Validations.of(Stack.of(this)).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${resource}]`,
        reason: 'The functions, logs and objects of applications, whose names are not known before they are deployed.',
      });
    }
  }
}

/** Encrypted with DynamoDB's own key, as the log is: variables are sealed. */
function appsTable(scope: Construct): TableV2 {
  return new TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}

/** Releases are kept as long as an application can be rolled back to them; the functions remove them. */
function appsBucket(scope: Construct): Bucket {
  const bucket = new Bucket(scope, 'Bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    encryption: BucketEncryption.S3_MANAGED,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    lifecycleRules: [
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      { prefix: 'snapshots/', expiration: Duration.days(2) },
      { prefix: 'jobs/', expiration: Duration.days(1) },
      { prefix: 'runs/', expiration: Duration.days(14) },
      { prefix: 'caches/', expiration: Duration.days(30) },
    ],
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'Only functions of the service and signed addresses reach the bucket, and the log has each of their steps.',
  });
  return bucket;
}
