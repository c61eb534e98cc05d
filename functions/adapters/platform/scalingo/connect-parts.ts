import type { Clock } from '../../../core/ports/clock.ts';
import { scalingoSettings, scalingoUrl } from '../../aws/platform/scalingo.ts';
import { serviceTokenWhenNeeded } from '../../aws/platform/secret.ts';
import { platformTableName } from '../../aws/platform/table.ts';
import { s3 } from '../../aws/s3.ts';
import { connectTable } from '../in-table/connect-table.ts';
import { scalingoAddresses, scalingoApi } from './api.ts';
import type { ScalingoParts } from './parts.ts';

/** Returns the parts of the platform on Scalingo. The secret is read at the first call of Scalingo, if there is one. */
export function connectScalingo(clock: Clock): ScalingoParts {
  const { bucket, region } = scalingoSettings();
  const url = scalingoUrl();
  const addresses = url === undefined ? scalingoAddresses(region) : { api: url, auth: url };
  return {
    api: scalingoApi({ ...serviceTokenWhenNeeded(), addresses }),
    fetch: globalThis.fetch,
    table: connectTable(),
    s3: s3(),
    bucket,
    clock,
    // CloudFormation makes up the table's name once for each stack, and the table outlives it.
    seed: platformTableName(),
  };
}
