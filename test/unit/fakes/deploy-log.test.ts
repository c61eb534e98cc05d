import { describe } from 'vitest';
import { deployLogContract } from '../../contracts/deploy-log.ts';
import { memoryCursor } from '../../fakes/app-events.ts';
import { memoryIds } from '../../fakes/clock.ts';
import { MemoryLog } from '../../fakes/deploy-log/deploy-log.ts';

describe('the log in memory', () => {
  deployLogContract(async () => {
    const log = new MemoryLog(memoryIds());
    return {
      log,
      other: log,
      reader: log,
      facts: log,
      appFacts: log,
      backlog: log,
      cursor: memoryCursor(),
      trackedApps: log,
      user: 'ann',
    };
  });
});
