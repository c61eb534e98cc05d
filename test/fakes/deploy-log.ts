import { openStores } from '../../functions/adapters/stores/sqlite/open.ts';
import type { AppFacts } from '../../functions/core/ports/apps/app-facts.ts';
import type { TrackedApps } from '../../functions/core/ports/apps/tracked-apps.ts';
import type { Backlog } from '../../functions/core/ports/backlog.ts';
import type { DeployFacts } from '../../functions/core/ports/deploy-facts.ts';
import type { DeployLog } from '../../functions/core/ports/deploy-log.ts';
import type { Ids } from '../../functions/core/ports/ids.ts';
import type { LogReader } from '../../functions/core/ports/log-reader.ts';
import type { TokenStore } from '../../functions/core/ports/token-store.ts';
import { memoryClock, memoryIds } from './clock.ts';

/** The log in all its roles. */
export type MemoryLog = DeployLog & LogReader & DeployFacts & AppFacts & TrackedApps & Backlog;

/** Returns the log of one machine, in memory. */
export function memoryLog(ids: Ids = memoryIds()): MemoryLog {
  const { log, reader, facts, appFacts, trackedApps, backlog } = inMemory(ids);
  return { ...log, ...reader, ...facts, ...appFacts, ...trackedApps, ...backlog };
}

/** Returns the token store of one machine, in memory. */
export function memoryTokens(): TokenStore {
  return inMemory(memoryIds()).tokens;
}

function inMemory(ids: Ids) {
  return openStores({ path: ':memory:', clock: memoryClock(), ids });
}
