import { variable } from '../adapters/aws/environment.ts';
import { publicUrl } from '../adapters/aws/public-url.ts';
import { httpApiTokens } from '../adapters/platform/api-tokens.ts';
import type { TokensPorts } from './tokens.ts';

/** Returns the endpoints' ports, from the function's environment. */
export function connect(): TokensPorts & { readonly publicUrl: string | null } {
  return { tokens: httpApiTokens({ url: variable('PLATFORM_URL') }), publicUrl: publicUrl() };
}
