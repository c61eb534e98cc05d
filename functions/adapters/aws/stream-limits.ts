import { numberVariable } from './environment.ts';

/** Returns how long a stream may hold its function, and how many may be open at once. */
export function streamLimits(): {
  readonly seconds: number;
  readonly places: { readonly user: number; readonly service: number };
} {
  const places = { user: numberVariable('STREAMS_PER_USER'), service: numberVariable('STREAMS_IN_ALL') };
  return { seconds: numberVariable('CHANGES_SECONDS'), places };
}
