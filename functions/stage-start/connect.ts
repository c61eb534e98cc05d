import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { connectHosting, connectOperations } from '../adapters/platform/platforms.ts';
import { sqsQueue, sqsVisibility } from '../adapters/queues/sqs.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { StageConnection } from '../triggers/stage.ts';
import type { StartPorts } from './ports.ts';

/** Returns the ports of the stage `start`. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<StartPorts, 'trace'> & StageConnection> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const urls = { report: variable('QUEUE_REPORT') };
  return {
    stage: 'start',
    log: dynamoDbLog(table),
    facts: dynamoDbFacts(table),
    queue: sqsQueue({ client: sqs(), urls, ids: systemIds }),
    setVisibility: sqsVisibility(sqs(), variable('QUEUE_START')),
    appFacts: dynamoDbAppFacts(table),
    platform: await connectHosting(systemClock),
    operations: await connectOperations(systemClock),
    clock: systemClock,
    ids: systemIds,
    retryBaseSeconds: numberVariable('RETRY_BASE_SECONDS'),
  };
}
