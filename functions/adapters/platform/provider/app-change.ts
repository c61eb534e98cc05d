import type { SnapshotRef } from '../../../core/ports/hosting-platform.ts';
import { recordEvent } from '../in-table/app-events.ts';
import type { ProviderParts } from './parts.ts';

/** A change of an application's state. */
export interface AppChange {
  readonly state: 'crashed' | 'running';
  readonly reason: string | null;
  readonly log: readonly string[];
}

/** Stores that an application has crashed, or answers again, as the event that the service reads. */
export async function recordChange(
  { user, app, snapshot }: SnapshotRef,
  change: AppChange,
  { table, clock }: Pick<ProviderParts, 'table' | 'clock'>,
): Promise<void> {
  await recordEvent(table, { user, app, snapshot, seq: clock.now(), ...change });
}
