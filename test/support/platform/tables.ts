import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openStores } from '../../../functions/adapters/stores/sqlite/open.ts';
import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { systemClock } from '../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../functions/adapters/system/ids.ts';

export interface OpenTables {
  readonly tables: Tables;
  close(): Promise<void>;
}

/** Opens the tables of a platform that keeps them in its own folder; without a folder, in memory. */
export function openedTables(folder?: string): OpenTables {
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const path = folder === undefined ? ':memory:' : join(folder, 'service.db');
  return openStores({ path, clock: systemClock, ids: systemIds });
}
