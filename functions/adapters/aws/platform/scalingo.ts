import { optionalVariable, variable } from '../environment.ts';

/** Returns the region of Scalingo that applications run in: `osc-fr1`. */
export function scalingoRegion(): string {
  return variable('PLATFORM_REGION');
}

/** Returns an address of Scalingo's API, also of that for tokens, that is not its own; undefined by default. */
export function scalingoUrl(): string | undefined {
  return optionalVariable('PLATFORM_URL');
}

/** Returns the name of the bucket with the tarballs that applications on Scalingo are deployed from. */
export function snapshotBucket(): string {
  return variable('PLATFORM_BUCKET');
}
