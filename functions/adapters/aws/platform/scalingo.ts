import { optionalVariable } from '../environment.ts';
import { platformParts } from './parts.ts';

/** The settings of the platform on Scalingo, besides its table. */
export interface ScalingoSettings {
  /** The bucket with the tarballs that applications are deployed from. */
  readonly bucket: string;
  /** The region that applications run in: `osc-fr1`. */
  readonly region: string;
}

/** Returns the settings. Throws, naming the variable, when one is missing. */
export function scalingoSettings(): ScalingoSettings {
  const part = platformParts<keyof ScalingoSettings>();
  return { bucket: part('bucket'), region: part('region') };
}

/** Returns an address of Scalingo's API, also of that for tokens, that is not its own; undefined by default. */
export function scalingoUrl(): string | undefined {
  return optionalVariable('PLATFORM_URL');
}
