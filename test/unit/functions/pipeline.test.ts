import { describe } from 'vitest';
import { pipelineContract } from '../../contracts/pipeline.ts';
import { memoryLog } from '../../fakes/deploy-log.ts';

describe('the pipeline on the log in memory', () => {
  pipelineContract(() => {
    const log = memoryLog();
    return { log, reader: log, facts: log, appFacts: log, backlog: log, user: 'ann' };
  }, 100);
});
