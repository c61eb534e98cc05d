import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { CONFIGURED } from '../adapters/platform/platforms.ts';
import { ciConfigsOf } from '../adapters/senders/ci-config/ci-configs.ts';
import { configFiles } from '../adapters/senders/ci-config/config-files.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbAppSettings } from '../adapters/stores/dynamodb/apps/app-settings.ts';
import { dynamoDbTrackedApps } from '../adapters/stores/dynamodb/apps/tracked-apps.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { logTable, receive } from '../triggers/aws-ports.ts';
import { fetchTokens, repositoryHosts } from '../triggers/host-ports.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { trace } from '../triggers/trace.ts';
import { check } from './check.ts';

/** It calls a host up to fourteen times, some after each other, and has a minute. */
const HOST_TIMEOUTS = { connectMs: 3_000, firstByteMs: 10_000, idleMs: 5_000 };

const table = logTable();

const ports = {
  ...receive('check', 'check', 'start'),
  log: dynamoDbLog({ ...table, payloads: variable('PAYLOADS_TABLE') }),
  facts: dynamoDbFacts(table),
  settings: dynamoDbAppSettings(table),
  platform: CONFIGURED,
  tracked: dynamoDbTrackedApps(table),
  reader: dynamoDbReader(table),
  host: repositoryHosts(HOST_TIMEOUTS).named,
  token: fetchTokens(),
  ciConfigs: ciConfigsOf(configFiles),
  holdMinutes: numberVariable('HOLD_MINUTES'),
  previewDays: numberVariable('PREVIEW_DAYS'),
};

// Not among the ports of the trigger, which would let an operation overrule this stage: its application is not known yet.
const appFacts = dynamoDbAppFacts(table);

export const handler = stageTrigger(check({ ...ports, appFacts, trace }), ports);
