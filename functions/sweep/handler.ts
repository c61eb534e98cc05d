import { numberVariable } from '../adapters/aws/environment.ts';
import { dynamoDbBacklog } from '../adapters/stores/dynamodb/backlog.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { stageNames } from '../core/pipeline/pipeline.ts';
import { logTable, queueTo } from '../triggers/aws-ports.ts';
import { scheduleTrigger } from '../triggers/operator.ts';
import { trace } from '../triggers/trace.ts';
import { sweep } from './sweep.ts';

const ports = {
  log: dynamoDbLog(logTable()),
  facts: dynamoDbFacts(logTable()),
  backlog: dynamoDbBacklog(logTable()),
  queue: queueTo(...stageNames, 'report'),
  clock: systemClock,
  holdMinutes: numberVariable('HOLD_MINUTES'),
  trace,
};

export const handler = scheduleTrigger(async (everything) => ({ looked: await sweep(ports, everything) }));
