import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { AppsPlatform } from '../../../../lib/stack/apps/apps-platform.ts';
import { parameters } from '../../../../lib/stack/parameters.ts';

/** The platform on AWS Lambda as the service's stack has it, and nothing else of the service; its outputs name the parts. */
export class AppsStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const apps = new AppsPlatform(this, 'Apps', parameters(this));
    const parts = {
      table: apps.table.tableName,
      bucket: apps.bucket.bucketName,
      project: apps.build.project.ref,
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
