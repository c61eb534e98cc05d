import { publicUrl } from '../adapters/aws/public-url.ts';

/** Returns what the endpoint works with. */
export function connect(): { readonly publicUrl: string | null } {
  return { publicUrl: publicUrl() };
}
