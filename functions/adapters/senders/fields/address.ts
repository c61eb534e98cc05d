/** URLs of real repositories and builds are shorter. */
const MAX_LENGTH = 2048;

/**
 * Returns a URL of a payload that is safe to show: http or https only, because browsers execute `javascript:`, and
 * without credentials. Null for everything else.
 */
export function webAddress(value: unknown): URL | null {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !URL.canParse(value)) return null;
  const address = new URL(value);
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return null;
  address.username = '';
  address.password = '';
  return address;
}
