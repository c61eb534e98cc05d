import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbTrackedApps } from '../adapters/stores/dynamodb/apps/tracked-apps.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { logTable, queueTo } from '../triggers/aws-ports.ts';
import { fetchTokens, repositoryHosts } from '../triggers/host-ports.ts';
import { scheduleTrigger } from '../triggers/operator.ts';
import { trace } from '../triggers/trace.ts';
import { reconcile } from './reconcile.ts';
import { previewWatch } from './watch.ts';

const table = logTable();

const ports = {
  apps: dynamoDbTrackedApps(table),
  log: dynamoDbLog({ ...table, payloads: variable('PAYLOADS_TABLE') }),
  reader: dynamoDbReader(table),
  facts: dynamoDbFacts(table),
  appFacts: dynamoDbAppFacts(table),
  queue: queueTo('check', 'start'),
  host: repositoryHosts().named,
  token: fetchTokens(),
  clock: systemClock,
  ids: systemIds,
  minutes: numberVariable('RECONCILE_MINUTES'),
  previewDays: numberVariable('PREVIEW_DAYS'),
  trace,
};

const watch = previewWatch(ports);

export const handler = scheduleTrigger(async (everything) => {
  const [compared] = await Promise.all([reconcile(ports, everything), watch()]);
  return { compared };
});
