import { variable } from '../environment.ts';

/** Returns the name of the table with users, applications and snapshots. */
export function platformTableName(): string {
  return variable('PLATFORM_TABLE');
}
