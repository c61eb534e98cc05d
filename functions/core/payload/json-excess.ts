import { endOfString, type JsonFault } from './json-fault.ts';

/** Deeper than any sender nests; what walks the value later may recurse without fear for its stack. */
const maxDepth = 100;
/**
 * Five times what GitHub's largest push has (2048 commits). Five million bytes of `{},` would take the engine a second
 * and a hundred megabytes; counting first takes a fiftieth of that.
 */
const maxValues = 250_000;
/**
 * Fields that are new where they stand: the first of their kind after the same ones before. The engine keeps a shape for
 * each, which takes it two microseconds: of three megabytes of objects that are all different, half a second. A sender's
 * objects are alike and come to a few hundred.
 */
const maxShapes = 20_000;
/** The least length of a text with more fields than that. */
const manyFields = maxShapes * '"":0,'.length;

const tab = 0x09;
const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Why a JSON text would keep the engine or its readers busy for long, and where; null when it would not. Linear in time. */
export function findExcess(text: string): JsonFault | null {
  const shapes = text.length > manyFields ? new Shapes() : null;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (shapes?.isNewField(text, { start: at, end, depth }) && shapes.count > maxShapes) {
        return { problem: `its objects have more than ${maxShapes} different fields`, offset: at };
      }
      at = end;
    } else if (code === comma) values += 1;
    else if (code === openBrace || code === openBracket) {
      depth += 1;
      shapes?.open(depth);
    } else if (code === closeBrace || code === closeBracket) depth -= 1;
    if (depth > maxDepth) return { problem: `it nests deeper than ${maxDepth} levels`, offset: at };
    if (values > maxValues) return { problem: `it holds more than ${maxValues} values`, offset: at };
  }
  return null;
}

interface Token {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

/** Odd, and near 2³² divided by the golden ratio: neighbours end up far apart. */
const spread = 0x9e3779b1;

/** Which fields have followed which, by hash: two that share one are counted once. */
class Shapes {
  count = 0;
  private readonly seen = new Uint8Array(1 << 17);
  /** What has come so far in the objects around, by depth. */
  private readonly before = new Uint32Array(maxDepth + 2);

  open(depth: number): void {
    this.before[depth] = 0;
  }

  /** Whether a string is the name of a field that has not come before after the same ones; counts it then. */
  isNewField(text: string, { start, end, depth }: Token): boolean {
    if (depth < 0 || depth > maxDepth || !isBeforeColon(text, end + 1)) return false;
    let hash = Math.imul(this.before[depth] ?? 0, spread) + depth;
    for (let at = start + 1; at < end; at += 1) hash = (Math.imul(hash, spread) + text.charCodeAt(at)) | 0;
    // The upper half is the well mixed one.
    hash = Math.imul(hash, spread);
    this.before[depth] = hash;
    const place = hash >>> 15;
    if (this.seen[place] === 1) return false;
    this.seen[place] = 1;
    this.count += 1;
    return true;
  }
}

function isBeforeColon(text: string, start: number): boolean {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== space && code !== newline && code !== carriageReturn && code !== tab) return code === colon;
  }
  return false;
}
