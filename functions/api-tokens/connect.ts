import { publicUrl } from '../adapters/aws/public-url.ts';
import { chosenApiTokens } from '../adapters/platform/chosen/api-tokens.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { TokensPorts } from './tokens.ts';

/** Returns the endpoints' ports, from the function's environment. */
export async function connect(): Promise<TokensPorts & { readonly publicUrl: string | null }> {
  return { tokens: await chosenApiTokens(systemClock), publicUrl: publicUrl() };
}
