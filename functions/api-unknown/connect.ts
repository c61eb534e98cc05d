import { publicUrl } from '../adapters/aws/environment.ts';

/** Returns the endpoint's ports, from the function's environment. */
export function connect(): { readonly publicUrl: string | null } {
  return { publicUrl: publicUrl() };
}
