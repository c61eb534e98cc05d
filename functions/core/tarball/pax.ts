import { quoted, refusal } from './refuse.ts';
import { decodeName } from './safe-path.ts';

/** The fields of the next entry that a pax header replaces. */
interface PaxChanges {
  readonly path?: string;
  readonly target?: string;
  readonly size?: number;
}

const SPACE = 0x20;
const EQUALS = 0x3d;
const NEWLINE = 0x0a;

/**
 * Returns what the records of a pax header, `<length> <key>=<value>\n` each, change in an entry
 * (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_03). Times, owners and the commit
 * id that `git archive` writes as a comment are ignored. Throws `deploy:tar:corrupt` for records of a wrong length,
 * repeated ones and those with a line feed, at which other readers begin the next record, `deploy:tar:unsafe_type` for
 * GNU's sparse files, `deploy:tar:unsafe_path` for names that are not text.
 */
export function readPax(body: Buffer): PaxChanges {
  const changes: { path?: string; target?: string; size?: number } = {};
  const seen = new Set<string>();
  for (const [key, value] of records(body)) {
    if (key.startsWith('GNU.sparse.')) throw refusal('deploy:tar:unsafe_type', 'holds a sparse file');
    // In a path, a target or a size it is refused like every control character there.
    if (key !== 'path' && key !== 'linkpath' && key !== 'size') {
      if (key.includes('\n') || value.includes(NEWLINE)) throw corrupt('has a pax header with a line feed in a record');
      continue;
    }
    if (seen.has(key) || value.length === 0) throw corrupt(`has a pax header with ${key} empty or twice`);
    seen.add(key);
    if (key === 'path') changes.path = decodeName(value);
    if (key === 'linkpath') changes.target = decodeName(value);
    if (key === 'size') changes.size = decimal(value);
  }
  return changes;
}

/**
 * Refuses a global pax header that sets a path or a size for every entry: some readers apply it and others do not, so
 * the archive that is inspected could differ from the one that is unpacked.
 */
export function checkGlobalPax(body: Buffer): void {
  if (Object.keys(readPax(body)).length === 0) return;
  throw refusal('deploy:tar:unsafe_path', 'has a global header that renames its entries');
}

function* records(body: Buffer): Generator<[key: string, value: Buffer]> {
  let at = 0;
  while (at < body.length) {
    const space = body.indexOf(SPACE, at);
    const end = at + decimal(body.subarray(at, Math.max(at, space)));
    const equals = body.indexOf(EQUALS, space);
    if (end > body.length || equals === -1 || equals >= end || body[end - 1] !== NEWLINE) {
      throw corrupt('has a pax header whose records do not add up');
    }
    yield [body.toString('utf8', space + 1, equals), body.subarray(equals + 1, end - 1)];
    at = end;
  }
}

function decimal(bytes: Buffer): number {
  const digits = bytes.toString('latin1');
  if (!/^\d{1,15}$/.test(digits)) throw corrupt(`has a pax header with the number ${quoted(digits)}`);
  return Number(digits);
}

function corrupt(what: string) {
  return refusal('deploy:tar:corrupt', what);
}
