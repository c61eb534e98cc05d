import { join } from 'node:path';
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as CdkFunction, Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { AppsPlatform } from '../../../../lib/stack/apps/apps-platform.ts';
import { parameters } from '../../../../lib/stack/parameters.ts';

/**
 * The platform on AWS Lambda as the service's stack has it, and nothing else of the service; its outputs name the
 * parts.
 */
export class AppsStack extends Stack {
  /** @param bundles folder with a folder for each handler */
  constructor(scope: Construct, id: string, bundles: string) {
    super(scope, id);
    const apps = new AppsPlatform(this, 'Apps', parameters(this));
    const watcher = new CdkFunction(this, 'keep-notice', {
      runtime: Runtime.NODEJS_22_X,
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
      adapterLayer: apps.adapterLayer,
      sealingKey: new Key(this, 'Key').keyArn,
    };
    for (const [name, value] of Object.entries(parts)) {
      new CfnOutput(this, name, { value });
    }
  }
}
