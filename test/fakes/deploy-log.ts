import { openStores } from '../../functions/adapters/stores/sqlite/open.ts';
import type {
  AppFacts,
  AppSettings,
  DeployFacts,
  RepositoryApps,
  TrackedApps,
} from '../../functions/core/ports/facts.ts';
import type { Backlog, DeployLog, LogReader } from '../../functions/core/ports/log.ts';
import type { TokenStore } from '../../functions/core/ports/repository-host.ts';
import type { Ids } from '../../functions/core/ports/system.ts';
import { memoryClock, memoryIds } from './clock.ts';

/** The log in all its roles. */
export type MemoryLog = DeployLog &
  LogReader &
  DeployFacts &
  AppFacts &
  TrackedApps &
  Backlog & { readonly settings: AppSettings };

/** Returns the log of one machine, in memory. */
export function memoryLog(ids: Ids = memoryIds()): MemoryLog & RepositoryApps {
  const { log, reader, facts, repositoryApps, appFacts, trackedApps, backlog, appSettings } = inMemory(ids);
  return {
    ...log,
    ...reader,
    ...facts,
    ...repositoryApps,
    ...appFacts,
    ...trackedApps,
    ...backlog,
    settings: appSettings,
  };
}

/** Returns the token store of one machine, in memory. */
export function memoryTokens(): TokenStore {
  return inMemory(memoryIds()).tokens;
}

function inMemory(ids: Ids) {
  return openStores({ path: ':memory:', clock: memoryClock(), ids });
}
