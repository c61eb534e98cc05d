import type { StageName } from '../../core/pipeline/pipeline.ts';
import type { StageConnection } from '../../triggers/stage.ts';
import { dynamoDbLog } from '../stores/dynamodb/log.ts';
import { systemClock, systemIds } from '../system/system.ts';
import { numberVariable } from './environment.ts';
import { connectQueue, connectVisibility } from './queues.ts';
import { connectTable } from './table.ts';

/** What every stage needs to run: log, queues, time, and `RETRY_BASE_SECONDS`. */
export function connectStage(stage: StageName): StageConnection {
  return {
    stage,
    log: dynamoDbLog(connectTable()),
    queue: connectQueue(),
    clock: systemClock,
    ids: systemIds,
    retryBaseSeconds: numberVariable('RETRY_BASE_SECONDS'),
    setVisibility: connectVisibility(stage),
  };
}
