import type { ApiTokens } from '../../../core/ports/api-tokens.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { keepsUsers, platformUrl } from '../../aws/platform/kind.ts';
import { httpApiTokens } from '../http/api-tokens.ts';

/** Returns the API tokens of the configured platform. */
export async function chosenApiTokens(clock: Clock): Promise<ApiTokens> {
  if (!keepsUsers()) return httpApiTokens({ url: platformUrl() });
  const { tableApiTokens } = await import('../in-table/accounts/api-tokens.ts');
  const { connectTable } = await import('../in-table/connect-table.ts');
  return tableApiTokens({ table: connectTable(), clock });
}
