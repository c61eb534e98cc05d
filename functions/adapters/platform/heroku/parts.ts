import type { ProviderParts } from '../provider/parts.ts';

/** What the platform on Heroku is made of. */
export interface HerokuParts extends ProviderParts {
  /** The team that the apps belong to; undefined: the account of the token. */
  readonly team: string | undefined;
}
