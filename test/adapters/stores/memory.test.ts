import { describe } from 'vitest';
import { memoryIds } from '../../../functions/adapters/ambient/memory.ts';
import { MemoryLog } from '../../../functions/adapters/stores/memory/log.ts';
import { deployLogContract } from '../../contracts/deploy-log.ts';

describe('the log in memory', () => {
  deployLogContract(async () => {
    const log = new MemoryLog(memoryIds());
    return { log, other: log, reader: log, facts: log, backlog: log, user: 'ann' };
  });
});
