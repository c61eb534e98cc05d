import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, queueTo, streamLeases } from '../triggers/aws-ports.ts';
import { httpTrigger } from '../triggers/http.ts';
import { trace } from '../triggers/trace.ts';
import { operate } from './operate.ts';

const platform = await configuredPlatform(systemClock);
const table = logTable();

const ports = {
  applications: await platform.applications(),
  appFacts: dynamoDbAppFacts(table),
  facts: dynamoDbFacts(table),
  reader: dynamoDbReader(table),
  log: dynamoDbLog({ ...table, payloads: variable('PAYLOADS_TABLE') }),
  queue: queueTo('extract', 'start'),
  leases: streamLeases(),
  clock: systemClock,
  trace,
};

export const handler = httpTrigger(operate(ports), publicUrl());
