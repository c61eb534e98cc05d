import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { BuildSpec, ComputeType, LinuxArmLambdaBuildImage, Project } from 'aws-cdk-lib/aws-codebuild';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as CdkFunction, Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/** What the image's Node does: not every machine has curl. */
const FETCH = `node -e 'fetch(process.env.SOURCE).then((a) => a.text()).then((t) => fs.writeFileSync(process.env.FETCHED, t))'`;
const STORE = `node -e 'fetch(process.env.RELEASE, { method: "PUT", body: fs.readFileSync("release.tgz") })'`;

/** A workshop: a project builds artifacts from presigned addresses, and a function keeps the events of its builds. */
export class WorkshopStack extends Stack {
  /** @param bundles folder with a folder for each handler */
  constructor(scope: Construct, id: string, bundles: string) {
    super(scope, id);
    const things = new Bucket(this, 'Things');
    const logGroup = new LogGroup(this, 'BuildLog', { logGroupName: '/workshop/builds' });
    const project = new Project(this, 'Press', {
      environment: {
        buildImage: LinuxArmLambdaBuildImage.AMAZON_LINUX_2023_NODE_22,
        computeType: ComputeType.LAMBDA_2GB,
      },
      logging: { cloudWatch: { logGroup } },
      buildSpec: BuildSpec.fromObject({
        version: '0.2',
        phases: {
          build: {
            commands: [
              ...['export FETCHED="$PWD/source.txt"', FETCH, 'mkdir -p app && cd app'],
              ...['echo "hello from $(basename "$PWD")"', '. "$FETCHED"', 'cd .. && tar -czf release.tgz app', STORE],
            ],
          },
        },
      }),
    });
    const keeper = new CdkFunction(this, 'keep-event', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromAsset(join(bundles, 'keep-event')),
      environment: { BUCKET: things.bucketName },
    });
    things.grantPut(keeper);
    new Rule(this, 'Ended', {
      eventPattern: {
        source: ['aws.codebuild'],
        detailType: ['CodeBuild Build State Change'],
        detail: { 'project-name': [project.projectName], 'build-status': ['SUCCEEDED', 'FAILED', 'STOPPED', 'FAULT'] },
      },
      targets: [new LambdaFunction(keeper)],
    });
    const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
    const writesLogs = ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaBasicExecutionRole');
    new Role(this, 'AppRole', { roleName: 'app', assumedBy, managedPolicies: [writesLogs] });
  }
}
