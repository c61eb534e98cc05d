import { UsageError } from '../errors.ts';

/** Returns a URL without its trailing slash. Throws a `UsageError` unless it is https or on this machine. */
export function address(text: string | undefined, what: string): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  const local = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !local)) {
    throw new UsageError(`An https:// address is needed for ${what}.`);
  }
  if (url.username || url.password) throw new UsageError(`The address for ${what} must not hold a login.`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
