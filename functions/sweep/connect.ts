import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { sqsQueue } from '../adapters/queues/sqs.ts';
import { dynamoDbBacklog } from '../adapters/stores/dynamodb/backlog.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { SweepPorts } from './sweep.ts';

/** Returns the ports of the sweep, apart from `trace`. */
export function connect(): Omit<SweepPorts, 'trace'> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const urls = {
    check: variable('QUEUE_CHECK'),
    fetch: variable('QUEUE_FETCH'),
    upload: variable('QUEUE_UPLOAD'),
    extract: variable('QUEUE_EXTRACT'),
    start: variable('QUEUE_START'),
    report: variable('QUEUE_REPORT'),
  };
  return {
    log: dynamoDbLog(table),
    backlog: dynamoDbBacklog(table),
    queue: sqsQueue({ client: sqs(), urls, ids: systemIds }),
    clock: systemClock,
    holdMinutes: numberVariable('HOLD_MINUTES'),
  };
}
