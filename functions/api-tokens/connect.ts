import { publicUrl } from '../adapters/aws/environment.ts';
import { connectApiTokens } from '../adapters/platform/platforms.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { TokensPorts } from './tokens.ts';

/** Returns the endpoints' ports, from the function's environment. */
export async function connect(): Promise<TokensPorts & { readonly publicUrl: string | null }> {
  return { tokens: await connectApiTokens(systemClock), publicUrl: publicUrl() };
}
