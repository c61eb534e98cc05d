import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbAppEventCursor, dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, queueTo } from '../triggers/aws-ports.ts';
import { endedInstanceIn } from '../triggers/platform-events.ts';
import { trace } from '../triggers/trace.ts';
import { watchApps } from './watch.ts';

const platform = await configuredPlatform(systemClock);

const table = logTable();

const ports = {
  log: dynamoDbLog(table),
  appFacts: dynamoDbAppFacts(table),
  health: await platform.health(),
  events: await platform.events(),
  cursor: dynamoDbAppEventCursor(table),
  queue: queueTo('report'),
  clock: systemClock,
  trace,
};

/** The schedule and the logs of applications. */
export const handler = async (event: unknown) => ({ events: await watchApps(ports, endedInstanceIn(event)) });
