import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as CdkFunction, Code, Runtime as LambdaRuntime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { build } from 'esbuild';
import { lambdaPlatform } from '../../../../functions/adapters/platform/aws-lambda/hosting.ts';
import type { LambdaPlatformParts } from '../../../../functions/adapters/platform/aws-lambda/parts.ts';
import { lambdaAppOutput } from '../../../../functions/adapters/platform/aws-lambda/run/app-output.ts';
import { lambdaAppVariables } from '../../../../functions/adapters/platform/aws-lambda/run/app-variables.ts';
import { lambdaAppOperations } from '../../../../functions/adapters/platform/aws-lambda/run/operations.ts';
import { tableApplications } from '../../../../functions/adapters/platform/aws-lambda/table/applications.ts';
import { platformTable } from '../../../../functions/adapters/platform/aws-lambda/table/table.ts';
import { systemClock } from '../../../../functions/adapters/system/clock.ts';
import { AppsPlatform } from '../../../../lib/stack/apps/apps-platform.ts';
import { clientFor } from '../../../aws-local/clients.ts';
import { type Runtime, startRuntime } from '../../../aws-local/runtime.ts';
import type { ApplicationsUnderTest } from '../../../contracts/applications.ts';
import { newFolder } from '../../new-folder.ts';
import { filesOf, tarball } from '../../platform/embedded.ts';

/** The platform on AWS Lambda on the emulators, and their start: the buildspec and the applications are real. */
export interface EmulatedApps extends ApplicationsUnderTest {
  readonly parts: LambdaPlatformParts;
  /** The ARN of a role that may not write logs. */
  readonly roles: { readonly mute: string };
  /** What the emulators refused or did not know. */
  readonly warnings: readonly string[];
  /** Returns the next message that CloudWatch Logs has sent to the watcher of the stack. */
  notice(): Promise<unknown>;
}

const NOTICE_LIMIT_MS = 30_000;

/** Starts the platform on AWS Lambda on emulators, in a new folder. */
export async function emulatedApps(): Promise<EmulatedApps> {
  const folder = newFolder('emulated-apps');
  await synthesise(folder);
  return started(folder);
}

/** Bundles the handler and synthesises the stack into a folder, as a project of its own would. */
async function synthesise(folder: string): Promise<void> {
  const bundles = join(folder, 'bundles');
  await build({
    entryPoints: [fileURLToPath(new URL('handlers/keep-notice.ts', import.meta.url))],
    outfile: join(bundles, 'keep-notice/index.mjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const app = new App({
    outdir: join(folder, 'cdk.out'),
    analyticsReporting: false,
    // The check against CloudFormation's rules takes most of the synthesis, and nothing is deployed to AWS.
    builtinCloudFormationValidation: false,
    context: { 'aws:cdk:enable-path-metadata': true },
  });
  new AppsStack(app, 'Apps', bundles);
  app.synth();
}

async function started(folder: string): Promise<EmulatedApps> {
  const warnings: string[] = [];
  const runtime = await startRuntime({
    cloudAssembly: join(folder, 'cdk.out'),
    dataDir: join(folder, 'data'),
    port: 0,
    parameters: {},
    log: () => {},
    warn: (sentence) => void warnings.push(sentence),
  });
  await runtime.open();
  const { parts, roles, close } = partsOf(runtime);
  const stop = async () => {
    close();
    await runtime.close();
  };
  return {
    parts,
    roles,
    warnings,
    platform: lambdaPlatform(parts),
    applications: tableApplications(parts),
    operations: lambdaAppOperations(parts),
    output: lambdaAppOutput(parts),
    variables: lambdaAppVariables(parts),
    user: 'kiwi',
    tarball: (name, version, works) => tarball(filesOf(name, version, works)),
    version: async (_app, url) => (await fetch(url)).text(),
    notice: () => nextNotice(parts),
    close: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function nextNotice({ s3, bucket: Bucket }: LambdaPlatformParts): Promise<unknown> {
  const end = Date.now() + NOTICE_LIMIT_MS;
  while (Date.now() < end) {
    const { Contents: [{ Key } = {}] = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'notices/' }));
    if (Key === undefined) {
      await pause(50);
      continue;
    }
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    return JSON.parse((await Body?.transformToString()) ?? '');
  }
  throw new Error('No instance of an application has ended.');
}

/** What a stack says about its platform. */
export type NamesOfPlatform = Omit<LambdaPlatformParts, 'clock' | 'table' | keyof ReturnType<typeof clientsOf>>;

/** Returns the parts of a stack with clients of the emulators. */
export function partsWith({ endpoints }: Pick<Runtime, 'endpoints'>, table: string, names: NamesOfPlatform) {
  const clients = clientsOf(endpoints);
  const database = new DynamoDBClient(clientFor(endpoints.dynamodb));
  const parts: LambdaPlatformParts = {
    ...clients,
    ...names,
    table: platformTable({ client: database, table }),
    clock: systemClock,
  };
  return {
    parts,
    close: () => {
      for (const client of [...Object.values(clients), database]) client.destroy();
    },
  };
}

function clientsOf(endpoints: Runtime['endpoints']) {
  return {
    lambda: new LambdaClient(clientFor(endpoints.lambda)),
    codeBuild: new CodeBuildClient(clientFor(endpoints.codeBuild)),
    logs: new CloudWatchLogsClient(clientFor(endpoints.logs)),
    // As `adapters/aws/s3.ts`, with the path style that has no host names of buckets.
    s3: new S3Client({
      ...clientFor(endpoints.s3),
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    kms: new KMSClient(clientFor(endpoints.kms)),
  };
}

function partsOf(runtime: Runtime) {
  const { template } = runtime;
  const output = (name: string): string => {
    const value = template.outputs[name];
    if (value === undefined) throw new Error(`The stack has no output ${name}.`);
    return value;
  };
  const roles = { mute: output('muteRole') };
  const opened = partsWith(runtime, output('table'), {
    bucket: output('bucket'),
    project: output('project'),
    functionPrefix: output('functionPrefix'),
    appRole: output('appRole'),
    adapterLayer: output('adapterLayer'),
    architecture: 'arm64',
    sealingKey: output('sealingKey'),
    watcher: output('watcher'),
    appTimeoutSeconds: 30,
    appConcurrency: 10,
  });
  return { ...opened, roles };
}

/**
 * The platform on AWS Lambda as the service's stack has it, and nothing else of the service; its outputs name the
 * parts.
 */
class AppsStack extends Stack {
  /** @param bundles folder with a folder for each handler */
  constructor(scope: Construct, id: string, bundles: string) {
    super(scope, id);
    const key = new Key(this, 'Key');
    const apps = new AppsPlatform(this, 'Apps', key);
    const watcher = new CdkFunction(this, 'keep-notice', {
      runtime: LambdaRuntime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromAsset(join(bundles, 'keep-notice')),
      environment: { BUCKET: apps.bucket.bucketName },
    });
    apps.bucket.grantPut(watcher);
    apps.tellOfEnds(watcher);
    const parts = {
      table: apps.table.tableName,
      watcher: watcher.functionArn,
      bucket: apps.bucket.bucketName,
      project: apps.build.project.projectName,
      functionPrefix: apps.functionPrefix,
      appRole: apps.appRole.roleArn,
      muteRole: new Role(this, 'MuteRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }).roleArn,
      adapterLayer: apps.adapterLayer,
      sealingKey: key.keyArn,
    };
    for (const [name, value] of Object.entries(parts)) {
      new CfnOutput(this, name, { value });
    }
  }
}
