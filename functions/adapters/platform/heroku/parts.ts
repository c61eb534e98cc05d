import type { ProviderParts } from '../provider/parts.ts';

/** Dependencies of the platform on Heroku. */
export interface HerokuParts extends ProviderParts {
  /** The team that the apps belong to; undefined: the account of the token. */
  readonly team: string | undefined;
}
