/** Why a text is not JSON, in words that do not quote it, and where: UTF-16 units from 0. */
export interface JsonFault {
  readonly problem: string;
  readonly offset: number;
}

/** How far a fault is looked for: the search costs ten times the parsing, and a person needs only the first one. */
const searchLimit = 128 * 1024;

type Expected = 'a value' | 'a value or ]' | 'a key in double quotes' | 'a key or }' | 'a colon' | 'a comma or the end';

/** Where the reading stands: the brackets to be closed, what comes next, and the offset. */
interface Position {
  readonly closers: string[];
  expected: Expected;
  at: number;
}

const space = /[ \t\n\r]*/y;
const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// Only what a string must not hold. \p{Cc} reaches a little further than JSON's own rule; it is only asked when
// something is wrong already.
const badInString = /\p{Cc}|\\(?!["\\/bfnrt]|u[\dA-Fa-f]{4})/u;

/** The first fault of a text that `JSON.parse` refused, found with a small automaton over its tokens. */
export function findFault(text: string): JsonFault {
  const position: Position = { closers: [], expected: 'a value', at: 0 };
  while (position.at < searchLimit) {
    position.at = matchEnd(space, text, position.at) ?? position.at;
    if (position.at >= text.length) return { problem: 'it ends too early', offset: text.length };
    const fault = step(text, position);
    if (fault !== null) return fault;
  }
  return { problem: `the fault lies beyond character ${searchLimit}`, offset: searchLimit };
}

/** Offset of the quote that ends the string that starts at `start`; at or beyond the text's end when none does. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === 0x22) return at;
    at += character === 0x5c ? 2 : 1;
  }
  return at;
}

function step(text: string, position: Position): JsonFault | null {
  const character = text.charAt(position.at);
  if (punctuation(character, position)) {
    position.at += 1;
    return null;
  }
  const value = position.expected === 'a value' || position.expected === 'a value or ]';
  const key = position.expected === 'a key in double quotes' || position.expected === 'a key or }';
  if (character === '"' && (value || key)) return string(text, position, key ? 'a colon' : 'a comma or the end');
  const end = value ? matchEnd(word, text, position.at) : null;
  if (end === null) {
    return { problem: `there is ${named(character)} where ${position.expected} should be`, offset: position.at };
  }
  position.at = end;
  position.expected = 'a comma or the end';
  return null;
}

/** Takes a bracket, comma or colon where one may stand. */
function punctuation(character: string, position: Position): boolean {
  const { closers, expected } = position;
  const closer = closers.at(-1);
  if (expected === 'a colon') return character === ':' && expect(position, 'a value');
  if (expected.startsWith('a value')) {
    if (character === '{') return closers.push('}') > 0 && expect(position, 'a key or }');
    if (character === '[') return closers.push(']') > 0 && expect(position, 'a value or ]');
  }
  const mayClose = expected === 'a value or ]' || expected === 'a key or }' || expected === 'a comma or the end';
  if (mayClose && character === closer) return closers.pop() !== undefined && expect(position, 'a comma or the end');
  if (expected !== 'a comma or the end' || character !== ',' || closer === undefined) return false;
  return expect(position, closer === '}' ? 'a key in double quotes' : 'a value');
}

function expect(position: Position, expected: Expected): true {
  position.expected = expected;
  return true;
}

function string(text: string, position: Position, next: Expected): JsonFault | null {
  const end = endOfString(text, position.at);
  const bad = badInString.exec(text.slice(position.at + 1, Math.min(end, position.at + searchLimit)));
  if (bad !== null) {
    return { problem: 'a string holds what must be escaped', offset: position.at + 1 + bad.index };
  }
  if (end >= text.length) return { problem: 'it ends too early', offset: text.length };
  position.at = end + 1;
  position.expected = next;
  return null;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function named(character: string): string {
  if (/\p{L}/u.test(character)) return 'a word';
  if (/\p{N}/u.test(character)) return 'a number';
  if (character === '"') return 'a string';
  return /[!-~]/.test(character) ? `a ${character}` : 'a character unknown to JSON';
}
