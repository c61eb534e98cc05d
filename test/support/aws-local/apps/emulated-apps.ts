import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { App } from 'aws-cdk-lib';
import { lambdaPlatform } from '../../../../functions/adapters/platform/aws-lambda/hosting.ts';
import type { LambdaPlatformParts } from '../../../../functions/adapters/platform/aws-lambda/parts.ts';
import { lambdaAppOutput } from '../../../../functions/adapters/platform/aws-lambda/run/app-output.ts';
import { lambdaAppVariables } from '../../../../functions/adapters/platform/aws-lambda/run/app-variables.ts';
import { lambdaApplications } from '../../../../functions/adapters/platform/aws-lambda/run/applications.ts';
import { lambdaAppOperations } from '../../../../functions/adapters/platform/aws-lambda/run/operations.ts';
import { platformTable } from '../../../../functions/adapters/platform/aws-lambda/table.ts';
import { systemClock } from '../../../../functions/adapters/system/clock.ts';
import { clientFor } from '../../../../lib/aws-local/clients.ts';
import { type Runtime, startRuntime } from '../../../../lib/aws-local/runtime.ts';
import type { ApplicationsUnderTest } from '../../../contracts/applications.ts';
import { filesOf, tarball } from '../../platform/embedded.ts';
import { AppsStack } from './apps-stack.ts';

/** The platform on AWS Lambda on the emulators, and their start: the buildspec and the applications are real. */
export interface EmulatedApps extends ApplicationsUnderTest {
  readonly parts: LambdaPlatformParts;
  /** What the emulators refused or did not know. */
  readonly warnings: readonly string[];
  /** Stops the emulators and starts them again with the same folder. */
  restarted(): Promise<EmulatedApps>;
}

/** Starts the platform on AWS Lambda on emulators, in a new folder. */
export async function emulatedApps(): Promise<EmulatedApps> {
  const folder = await mkdtemp(join(tmpdir(), 'emulated-apps-'));
  // The check against CloudFormation's rules takes most of the synthesis, and the service's own stack is checked.
  const options = { analyticsReporting: false, builtinCloudFormationValidation: false };
  const app = new App({ outdir: join(folder, 'cdk.out'), ...options });
  new AppsStack(app, 'Apps');
  app.synth();
  return started(folder);
}

async function started(folder: string): Promise<EmulatedApps> {
  const warnings: string[] = [];
  const runtime = await startRuntime({
    cloudAssembly: join(folder, 'cdk.out'),
    parameters: { Platform: 'aws-lambda' },
    dataDir: join(folder, 'data'),
    port: 0,
    log: () => {},
    warn: (sentence) => void warnings.push(sentence),
    notice: () => {},
  });
  await runtime.open();
  const { parts, close } = partsOf(runtime);
  const stop = async () => {
    close();
    await runtime.close();
  };
  return {
    parts,
    warnings,
    platform: lambdaPlatform(parts),
    applications: lambdaApplications(parts),
    operations: lambdaAppOperations(parts),
    output: lambdaAppOutput(parts),
    variables: lambdaAppVariables(parts),
    user: 'kiwi',
    tarball: (name, version, works) => tarball(filesOf(name, version, works)),
    version: async (_app, url) => (await fetch(url)).text(),
    restarted: async () => {
      await stop();
      return started(folder);
    },
    close: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Returns the parts of the stack with clients of the emulators. */
function partsOf({ endpoints, template }: Runtime): { parts: LambdaPlatformParts; close(): void } {
  const clients = {
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
  const database = new DynamoDBClient(clientFor(endpoints.dynamodb));
  const output = (name: string): string => {
    const value = template.outputs[name];
    if (value === undefined) throw new Error(`The stack has no output ${name}.`);
    return value;
  };
  const names = {
    bucket: output('bucket'),
    project: output('project'),
    functionPrefix: output('functionPrefix'),
    appRole: output('appRole'),
    adapterLayer: output('adapterLayer'),
    sealingKey: output('sealingKey'),
  };
  const table = platformTable({ client: database, table: output('table') });
  return {
    parts: { ...clients, ...names, table, clock: systemClock },
    close: () => {
      for (const client of [...Object.values(clients), database]) client.destroy();
    },
  };
}
