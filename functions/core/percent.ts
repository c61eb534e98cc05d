import type { Credentials } from '../core/basic-auth.ts';

/**
 * Returns the same credentials with percent-escapes decoded, or null when that changes nothing. Some senders that take
 * credentials from a URL decode them, others send them as they appear there.
 */
export function percentDecoded({ user, secret }: Credentials): Credentials | null {
  const decoded = { user: decodePercent(user) ?? user, secret: decodePercent(secret) ?? secret };
  return decoded.user === user && decoded.secret === secret ? null : decoded;
}

/** Returns the string with percent-escapes decoded, or null when an escape is malformed. */
export function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
