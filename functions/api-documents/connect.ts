import { publicUrl } from '../adapters/aws/public-url.ts';

/** Returns the endpoint's ports, from the function's environment. */
export function connect(): { readonly publicUrl: string | null } {
  return { publicUrl: publicUrl() };
}
