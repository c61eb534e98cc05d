import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { CONFIGURED, configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbAppSettings } from '../adapters/stores/dynamodb/apps/app-settings.ts';
import { dynamoDbTrackedApps } from '../adapters/stores/dynamodb/apps/tracked-apps.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, queueTo, streamLeases } from '../triggers/aws-ports.ts';
import { fetchTokens, repositoryHosts } from '../triggers/host-ports.ts';
import { httpTrigger } from '../triggers/http.ts';
import { trace } from '../triggers/trace.ts';
import { source } from './source.ts';

const platform = await configuredPlatform(systemClock);
const table = logTable();

/** API Gateway times out after 29 seconds. */
const HOST_TIMEOUTS = { connectMs: 2_000, firstByteMs: 8_000, idleMs: 2_000 };

const ports = {
  applications: await platform.applications(),
  appFacts: dynamoDbAppFacts(table),
  facts: dynamoDbFacts(table),
  settings: dynamoDbAppSettings(table),
  platform: CONFIGURED,
  tracked: dynamoDbTrackedApps(table),
  reader: dynamoDbReader(table),
  log: dynamoDbLog({ ...table, payloads: variable('PAYLOADS_TABLE') }),
  queue: queueTo('check', 'start'),
  leases: streamLeases(),
  host: repositoryHosts(HOST_TIMEOUTS).named,
  token: fetchTokens(),
  clock: systemClock,
  trace,
};

export const handler = httpTrigger(source(ports), publicUrl());
