import type { Clock } from '../../../core/ports/clock.ts';
import { herokuTeam, herokuUrl } from '../../aws/platform/heroku.ts';
import { serviceTokenWhenNeeded } from '../../aws/platform/secret.ts';
import { platformTableName } from '../../aws/platform/table.ts';
import { connectTable } from '../in-table/connect-table.ts';
import { herokuApi } from './api.ts';
import type { HerokuParts } from './parts.ts';

/** Returns the parts of the platform on Heroku. The secret is read at the first call of Heroku, if there is one. */
export function connectHeroku(clock: Clock): HerokuParts {
  const url = herokuUrl();
  return {
    api: herokuApi({ ...serviceTokenWhenNeeded(), ...(url !== undefined && { url }) }),
    fetch: globalThis.fetch,
    table: connectTable(),
    clock,
    // CloudFormation makes up the table's name once for each stack, and the table outlives it.
    seed: platformTableName(),
    team: herokuTeam(),
  };
}
