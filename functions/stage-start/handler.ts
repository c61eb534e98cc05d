import { connectPlatform } from '../adapters/connect/platform.ts';
import { connectStage } from '../adapters/connect/stage.ts';
import { connectTable } from '../adapters/connect/table.ts';
import { connectTarballs } from '../adapters/connect/tarballs.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { start } from './start.ts';

export const handler = stageTrigger(
  start({
    platform: await connectPlatform(),
    facts: dynamoDbFacts(connectTable()),
    tarballs: connectTarballs(),
  }),
  connectStage('start'),
);
