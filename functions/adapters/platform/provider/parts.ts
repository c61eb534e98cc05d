import type { Clock } from '../../../core/ports/clock.ts';
import type { PlatformTable } from '../in-table/table.ts';
import type { ProviderApi } from './api.ts';

/** Dependencies of the adapters of all hosting providers. */
export interface ProviderParts {
  readonly api: ProviderApi;
  /** Calls the presigned URLs that the API returns. */
  readonly fetch: typeof fetch;
  /** The service's own record of applications and snapshots. */
  readonly table: PlatformTable;
  readonly clock: Clock;
  /** Unique to this installation; part of the names of its apps, which are global at a provider. */
  readonly seed: string;
}
