import type { SweepPorts } from '../../sweep/sweep.ts';
import { dynamoDbBacklog } from '../stores/dynamodb/backlog.ts';
import { dynamoDbLog } from '../stores/dynamodb/log.ts';
import { systemClock } from '../system/system.ts';
import { numberVariable } from './environment.ts';
import { connectQueue } from './queues.ts';
import { connectTable } from './table.ts';

/** What sweeping needs, with `HOLD_MINUTES`. */
export function connectSweep(): Omit<SweepPorts, 'trace'> {
  const table = connectTable();
  return {
    log: dynamoDbLog(table),
    backlog: dynamoDbBacklog(table),
    queue: connectQueue(),
    clock: systemClock,
    holdMinutes: numberVariable('HOLD_MINUTES'),
  };
}
