import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbAppSettings } from '../adapters/stores/dynamodb/apps/app-settings.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, receive } from '../triggers/aws-ports.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { trace } from '../triggers/trace.ts';
import { start } from './start.ts';

const platform = await configuredPlatform(systemClock);

const ports = {
  ...receive('start'),
  facts: dynamoDbFacts(logTable()),
  appFacts: dynamoDbAppFacts(logTable()),
  settings: dynamoDbAppSettings(logTable()),
  platform: await platform.hosting(),
  operations: await platform.operations(),
};

export const handler = stageTrigger(start({ ...ports, trace }), ports);
