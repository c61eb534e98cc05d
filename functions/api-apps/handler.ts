import { publicUrl } from '../adapters/aws/environment.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable } from '../triggers/aws-ports.ts';
import { httpTrigger } from '../triggers/http.ts';
import { apps } from './apps.ts';

const platform = await configuredPlatform(systemClock);
const table = logTable();

const ports = {
  applications: await platform.applications(),
  processes: await platform.processes(),
  runs: await platform.runs(),
  domains: await platform.domains(),
  appFacts: dynamoDbAppFacts(table),
  facts: dynamoDbFacts(table),
  reader: dynamoDbReader(table),
};

export const handler = httpTrigger(apps(ports), publicUrl());
