import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { connectEvents, connectHealth } from '../adapters/platform/platforms.ts';
import { sqsQueue } from '../adapters/queues/sqs.ts';
import { dynamoDbAppEventCursor } from '../adapters/stores/dynamodb/apps/app-event-cursor.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { WatchPorts } from './watch.ts';

/** Returns the ports of watching the applications. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<WatchPorts, 'trace'>> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  return {
    log: dynamoDbLog(table),
    facts: dynamoDbAppFacts(table),
    health: await connectHealth(systemClock),
    events: await connectEvents(),
    cursor: dynamoDbAppEventCursor(table),
    queue: sqsQueue({ client: sqs(), urls: { report: variable('QUEUE_REPORT') }, ids: systemIds }),
    clock: systemClock,
  };
}
