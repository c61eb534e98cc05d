import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { sqsQueue } from '../adapters/queues/sqs.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { ResumePorts } from './resume.ts';

/** Returns the ports of resuming a deploy. */
export function connect(): ResumePorts {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const urls = { extract: variable('QUEUE_EXTRACT') };
  return { log: dynamoDbLog(table), queue: sqsQueue({ client: sqs(), urls, ids: systemIds }) };
}
