/** What a caller sent to prove who they are. */
export interface Credentials {
  readonly user: string;
  /** The password or an API token. Never logged, stored or put in a message. */
  readonly secret: string;
}

// Padding may be missing and the URL-safe alphabet is read too: senders that build the header by hand do both.
const BASIC = /^basic +([a-z0-9+/_-]+={0,2}) *$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The credentials of an `Authorization` header, or null when there are none that can be read: no header, another
 * scheme, not base64, not UTF-8, control characters, no colon, an empty user or an empty secret. The first colon
 * splits, so that a secret may hold colons. https://www.rfc-editor.org/rfc/rfc7617
 */
export function readBasic(header: string | undefined): Credentials | null {
  const encoded = BASIC.exec(header?.trim() ?? '')?.[1];
  const text = encoded === undefined ? null : decodeUtf8(Buffer.from(encoded, 'base64'));
  if (text === null || /\p{Cc}/u.test(text)) return null;
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) return null;
  return { user: text.slice(0, colon), secret: text.slice(colon + 1) };
}

/**
 * The same credentials with percent-escapes undone, or null when that changes nothing. Of the senders that take them
 * from a URL's authority, some decode them and some send them as they stand there.
 */
export function percentDecoded({ user, secret }: Credentials): Credentials | null {
  const decoded = { user: decodePercent(user) ?? user, secret: decodePercent(secret) ?? secret };
  return decoded.user === user && decoded.secret === secret ? null : decoded;
}

/** The text with percent-escapes undone, or null when an escape cannot be read. */
export function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
