import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { requiredSecret } from '../adapters/aws/secrets.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { httpAppEvents } from '../adapters/platform/app-events.ts';
import { sqsQueue } from '../adapters/queues/sqs.ts';
import { dynamoDbAppEventCursor } from '../adapters/stores/dynamodb/apps/app-event-cursor.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { WatchPorts } from './watch.ts';

/** Returns what watching the applications works with. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<WatchPorts, 'trace'>> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const platform = { url: variable('PLATFORM_URL'), serviceToken: await requiredSecret(variable('PLATFORM_SECRET')) };
  return {
    log: dynamoDbLog(table),
    facts: dynamoDbAppFacts(table),
    events: httpAppEvents(platform),
    cursor: dynamoDbAppEventCursor(table),
    queue: sqsQueue({ client: sqs(), urls: { report: variable('QUEUE_REPORT') }, ids: systemIds }),
    clock: systemClock,
  };
}
