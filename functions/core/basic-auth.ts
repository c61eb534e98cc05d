export interface Credentials {
  readonly user: string;
  /** The password or an API token. Never logged, stored or put in a message. */
  readonly secret: string;
}

// Padding may be missing and the URL-safe alphabet is read too: senders that build the header by hand do both.
const BASIC = /^basic +([a-z0-9+/_-]+={0,2}) *$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the `Authorization` header of credentials in the form `<user>:<secret>`. */
export function basicHeader(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/**
 * Returns the credentials of an `Authorization` header, or null when they cannot be read: no header, another scheme,
 * not base64, not UTF-8, control characters, no colon, an empty user or an empty secret. The first colon separates, so
 * a secret may contain colons. https://www.rfc-editor.org/rfc/rfc7617
 */
export function readBasic(header: string | undefined): Credentials | null {
  const text = basicText(header);
  if (text === null) return null;
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) return null;
  return { user: text.slice(0, colon), secret: text.slice(colon + 1) };
}

/** Returns what stands in an `Authorization` header, or null when it cannot be read. */
export function basicText(header: string | undefined): string | null {
  const encoded = BASIC.exec(header?.trim() ?? '')?.[1];
  const text = encoded === undefined ? null : decodeUtf8(Buffer.from(encoded, 'base64'));
  return text === null || /\p{Cc}/u.test(text) ? null : text;
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

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
