import type { Routes } from '../http/route.ts';
import { appRoutes } from './apps.ts';
import { domainRoutes } from './domains.ts';
import { eventRoutes } from './events.ts';
import { logRoutes } from './logs.ts';
import type { ApiParts } from './parts.ts';
import { processRoutes } from './processes.ts';
import { runRoutes } from './runs.ts';
import { snapshotRoutes } from './snapshots.ts';

/** Returns the routes of the API. */
export function allRoutes(api: ApiParts): Routes {
  return {
    ...appRoutes(api),
    ...domainRoutes(api),
    ...snapshotRoutes(api),
    ...processRoutes(api),
    ...runRoutes(api),
    ...logRoutes(api),
    ...eventRoutes(api),
  };
}
