import { quoted, refusal } from './refuse.ts';
import { decodeName } from './safe-path.ts';

/** Bytes of a block; headers are one block, bodies are padded to whole ones. */
export const BLOCK = 512;

/** The kind of file that an entry unpacks to. */
export type EntryKind = 'file' | 'hardlink' | 'symlink' | 'folder';
/** An extended header: it describes the next entry (pax, GNU), or all entries (pax global). */
export type ExtensionKind = 'pax' | 'global' | 'long-path' | 'long-target';

/** One header block, read and checked. */
export interface Header {
  readonly kind: EntryKind | ExtensionKind;
  readonly path: string;
  /** The target of a link; empty for everything else. */
  readonly target: string;
  /** Bytes of the body, without padding. */
  readonly size: number;
  /** Whether an execute bit is set: the one part of its mode that is kept. */
  readonly executable: boolean;
}

const kinds: Readonly<Record<string, Header['kind']>> = {
  '\0': 'file',
  '0': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'folder',
  x: 'pax',
  g: 'global',
  L: 'long-path',
  K: 'long-target',
};

// Field offsets: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06
const NAME = [0, 100] as const;
const MODE = [100, 8] as const;
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;
const TYPE = 156;
const TARGET = [157, 100] as const;
const MAGIC = [257, 8] as const;
const PREFIX = [345, 155] as const;
/** In headers of star and npm's tar the last bytes of the prefix are a NUL and two times. */
const STAR_PREFIX = [345, 131] as const;
const STAR_TIMES = [476, 24] as const;
const SPACE = 0x20;

/**
 * Returns the header in a block of the POSIX (ustar, pax) or GNU format. Throws `deploy:tar:corrupt` when it has
 * another format, a bad checksum or a bad size, `deploy:tar:unsafe_type` for devices, pipes, sparse files and unknown
 * types, and `deploy:tar:unsafe_path` for names that are not text.
 *
 * A block that tar readers interpret differently (a version other than 00, digits after the number, bytes after the end
 * of a name) is refused, because the program that unpacks it may read it differently from this one.
 */
export function readHeader(block: Buffer): Header {
  if (checksum(block) !== number(block, CHECKSUM))
    throw refusal('deploy:tar:corrupt', 'has a header with a bad checksum');
  const format = latin1(block, MAGIC);
  if (format !== 'ustar\u000000' && format !== 'ustar  \0') {
    throw refusal('deploy:tar:corrupt', 'has a header that is neither POSIX nor GNU tar');
  }
  const flag = String.fromCharCode(block[TYPE] ?? 0);
  const kind = kinds[flag];
  if (kind === undefined) throw unsafeType(flag, latin1(block, NAME));
  const prefix = format === 'ustar  \0' ? '' : text(block, hasStarTimes(block) ? STAR_PREFIX : PREFIX);
  const path = prefix === '' ? text(block, NAME) : `${prefix}/${text(block, NAME)}`;
  const executable = (number(block, MODE) & 0o111) !== 0;
  return { kind, path, target: text(block, TARGET), size: number(block, SIZE), executable };
}

/** Whether all bytes of a block, or of a part of it, are zero: two such blocks end an archive. */
export function isZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}

function checksum(block: Buffer): number {
  let sum = 8 * SPACE; // the checksum's own field counts as spaces
  for (let at = 0; at < CHECKSUM[0]; at++) sum += block[at] ?? 0;
  for (let at = TYPE; at < BLOCK; at++) sum += block[at] ?? 0;
  return sum;
}

/** Digits with spaces before and spaces or NULs after; an empty field is 0. */
function number(block: Buffer, [start, length]: readonly [number, number]): number {
  if (((block[start] ?? 0) & 0x80) !== 0) return base256(block, start, length);
  const end = start + length;
  let at = start;
  while (at < end && block[at] === SPACE) at += 1;
  let value = 0;
  for (let digit = digitAt(block, at); at < end && digit !== null; digit = digitAt(block, at)) {
    value = value * 8 + digit;
    at += 1;
  }
  while (at < end && (block[at] === SPACE || block[at] === 0)) at += 1;
  if (at < end) throw refusal('deploy:tar:corrupt', 'has a header whose numbers cannot be read');
  return value;
}

function digitAt(block: Buffer, at: number): number | null {
  const digit = (block[at] ?? 0) - 0x30;
  return digit >= 0 && digit <= 7 ? digit : null;
}

/**
 * The GNU format for numbers that are too large for the octal digits.
 * https://www.gnu.org/software/tar/manual/html_node/Standard.html
 */
function base256(block: Buffer, start: number, length: number): number {
  if (block[start] !== 0x80) throw refusal('deploy:tar:corrupt', 'has a header with a negative size');
  let value = 0;
  for (const byte of block.subarray(start + 1, start + length)) value = value * 256 + byte;
  return value;
}

function hasStarTimes(block: Buffer): boolean {
  return block[STAR_TIMES[0]] !== 0 && /^(?:[0-7]{11}[ \0]){2}$/.test(latin1(block, STAR_TIMES));
}

/** Returns a field up to its first NUL, after which there must be no other byte. */
function text(block: Buffer, [start, length]: readonly [number, number]): string {
  const limit = start + length;
  let end = start;
  while (end < limit && block[end] !== 0) end += 1;
  for (let at = end; at < limit; at++) {
    if (block[at] !== 0) throw refusal('deploy:tar:corrupt', 'has a header with bytes after the end of a name');
  }
  return end === start ? '' : decodeName(block, start, end);
}

function latin1(block: Buffer, [start, length]: readonly [number, number]): string {
  return block.toString('latin1', start, start + length);
}

function unsafeType(flag: string, name: string) {
  const shown = name.split('\0', 1)[0] ?? '';
  return refusal('deploy:tar:unsafe_type', `holds ${quoted(shown)} of type ${quoted(flag)}, no file, folder or link`);
}
