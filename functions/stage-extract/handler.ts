import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, receive } from '../triggers/aws-ports.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { extract } from './extract.ts';

const platform = await configuredPlatform(systemClock);

const ports = {
  ...receive('extract'),
  appFacts: dynamoDbAppFacts(logTable()),
  platform: await platform.hosting(),
};

export const handler = stageTrigger(extract(ports), ports);
