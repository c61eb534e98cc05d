import type { TarballLimits } from './limits.ts';
import { quoted, refusal, type TarCode } from './refuse.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the name in the bytes from `start` to `end`. Throws `deploy:tar:unsafe_path` when it is not UTF-8 or contains
 * control characters, which end strings in C, split lists and change terminals.
 */
export function decodeName(bytes: Buffer, start = 0, end = bytes.length): string {
  if (isPrintable(bytes, start, end)) return bytes.toString('latin1', start, end);
  const text = decodeUtf8(bytes.subarray(start, end));
  if (/\p{Cc}/u.test(text)) {
    throw refusal('deploy:tar:unsafe_path', `holds a control character in the name ${quoted(text)}`);
  }
  return text;
}

/**
 * Returns a path without the slash that marks folders. Throws `code` for a path that would have to be normalised:
 * programs that unpack it would disagree on where it leads, above all once its first folder is stripped. A backslash
 * counts as a slash, as on Windows.
 */
export function safePath(text: string, bounds: TarballLimits, code: TarCode = 'deploy:tar:unsafe_path'): string {
  const path = text.endsWith('/') ? text.slice(0, -1) : text;
  const fault = faultOf(path, bounds);
  if (fault !== null) throw refusal(code, `holds the path ${quoted(text)}, ${fault}`);
  return path;
}

/** Whether a path is absolute on some system: `/etc`, `\\server`, `C:\x`. `a:b.txt` is a name where tarballs are unpacked. */
export function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

function faultOf(path: string, bounds: TarballLimits): string | null {
  if (path === '') return 'which is empty';
  if (isAbsolute(path) || isAbsolute(withoutRoot(path))) return 'which is absolute';
  if (/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path)) return 'which climbs with ".."';
  if (/(?:^|[\\/])\.(?:[\\/]|$)|\/\/|\/$/.test(path)) return 'which has an empty or "." segment';
  return faultOfLength(path, bounds);
}

/** Returns the path without its first folder, which is stripped when a tarball is unpacked. */
function withoutRoot(path: string): string {
  return path.slice(path.search(/[\\/]/) + 1);
}

function faultOfLength(path: string, bounds: TarballLimits): string | null {
  // A UTF-16 unit takes at most three bytes in UTF-8, so nearly every path needs no measuring.
  if (path.length * 3 <= bounds.segmentBytes) return null;
  if (Buffer.byteLength(path) > bounds.pathBytes) return `which is longer than ${bounds.pathBytes} bytes`;
  const long = path.split('/').some((segment) => Buffer.byteLength(segment) > bounds.segmentBytes);
  return long ? `of which a segment is longer than ${bounds.segmentBytes} bytes` : null;
}

/** Whether all bytes are printable ASCII, as in nearly every name. */
function isPrintable(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e) return false;
  }
  return true;
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw refusal('deploy:tar:unsafe_path', `holds the name ${quoted(bytes.toString())}, which is not UTF-8`, cause);
  }
}
