import type { Clock } from '../../../core/ports/clock.ts';
import type { PlatformTable } from '../in-table/table.ts';
import type { HerokuApi } from './api.ts';

/** What the platform on Heroku is made of. */
export interface HerokuParts {
  readonly api: HerokuApi;
  /** Calls the signed addresses that the API gives out: of sources, of builds' output and of logs. */
  readonly fetch: typeof fetch;
  /** What the service knows of applications and snapshots. */
  readonly table: PlatformTable;
  readonly clock: Clock;
  /** What tells this installation from every other one: part of the names of its apps, which are global. */
  readonly seed: string;
  /** The team that the apps belong to; undefined: the account of the token. */
  readonly team: string | undefined;
}
