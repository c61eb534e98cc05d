import { describe } from 'vitest';
import { callsContract } from '../../contracts/calls.ts';
import { memoryLog } from '../../fakes/deploy-log.ts';

describe('the calls of hosts and CI, on the log in memory', () => {
  callsContract(() => {
    const log = memoryLog();
    return {
      log,
      reader: log,
      facts: log,
      appFacts: log,
      tracked: log,
      settings: log.settings,
      backlog: log,
      user: 'ann',
    };
  });
});
