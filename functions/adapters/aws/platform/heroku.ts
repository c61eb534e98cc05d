import { optionalVariable } from '../environment.ts';

/** Returns an address of Heroku's API that is not its own; undefined by default. */
export function herokuUrl(): string | undefined {
  return optionalVariable('PLATFORM_URL');
}

/** Returns the team on Heroku that applications belong to; undefined: the account of the token. */
export function herokuTeam(): string | undefined {
  return optionalVariable('PLATFORM_TEAM');
}
