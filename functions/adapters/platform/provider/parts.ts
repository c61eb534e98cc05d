import type { Clock } from '../../../core/ports/clock.ts';
import type { PlatformTable } from '../in-table/table.ts';
import type { ProviderApi } from './api.ts';

/** What the adapters for all providers of hosting are made of. */
export interface ProviderParts {
  readonly api: ProviderApi;
  /** Calls the signed addresses that the API gives out. */
  readonly fetch: typeof fetch;
  /** What the service knows of applications and snapshots. */
  readonly table: PlatformTable;
  readonly clock: Clock;
  /** What tells this installation from every other one: part of the names of its apps, which are global. */
  readonly seed: string;
}
