import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { sqsQueue } from '../adapters/queues/sqs.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { ChangePorts } from './change.ts';

/** Returns the endpoint's ports, apart from `trace`, from the function's environment. */
export function connect(): Omit<ChangePorts, 'trace'> & { readonly publicUrl: string | null } {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const urls = { check: variable('QUEUE_CHECK'), report: variable('QUEUE_REPORT') };
  return {
    log: dynamoDbLog(table),
    queue: sqsQueue({ client: sqs(), urls, ids: systemIds }),
    clock: systemClock,
    publicUrl: publicUrl(),
  };
}
