/** Longer ones are no page of a repository or a build, but somebody's experiment. */
const maxLength = 2048;

/**
 * An address of a payload as it may be shown: http or https only, because a browser runs `javascript:`, and without
 * credentials. Null for everything else.
 */
export function webAddress(value: unknown): URL | null {
  if (typeof value !== 'string' || value.length > maxLength || !URL.canParse(value)) return null;
  const address = new URL(value);
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return null;
  address.username = '';
  address.password = '';
  return address;
}
