import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { type DiskReserve, NO_RESERVE } from '../../files/disk-reserve.ts';
import { type Apps, apps } from './apps.ts';
import { type Folders, folders } from './folders.ts';
import { type Snapshots, snapshots } from './snapshots.ts';

/** What a platform keeps: files in its folder, and records of them in tables. */
export interface Stored {
  readonly folders: Folders;
  readonly tables: Tables;
  readonly reserve: Pick<DiskReserve, 'use'>;
  readonly apps: Apps;
  readonly snapshots: Snapshots;
}

export function storedIn(folder: string, tables: Tables, reserve: Stored['reserve'] = NO_RESERVE): Stored {
  const parts = { folders: folders(folder), tables, reserve };
  return { ...parts, apps: apps(parts), snapshots: snapshots(parts) };
}
