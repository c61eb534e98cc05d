import { variable } from '../adapters/aws/environment.ts';
import { s3 } from '../adapters/aws/s3.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { s3Tarballs } from '../adapters/stores/s3-tarballs.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, receive } from '../triggers/aws-ports.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { upload } from './upload.ts';

const platform = await configuredPlatform(systemClock);

const ports = {
  ...receive('upload', 'fetch'),
  appFacts: dynamoDbAppFacts(logTable()),
  platform: await platform.hosting(),
  variables: await platform.variables(),
  tarballs: s3Tarballs({ client: s3(), bucket: variable('TARBALL_BUCKET') }),
};

export const handler = stageTrigger(upload(ports), ports);
