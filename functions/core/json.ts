import { endOfString, findFault } from './json-fault.ts';

/** What became of a JSON text: its value, or why it is none and where. Never holds a piece of the text. */
export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly offset: number };

/** Deeper than any sender nests; what walks the value later may recurse without fear for its stack. */
const maxDepth = 100;
/**
 * Five times what GitHub's largest push has (2048 commits). Five million bytes of `{},` would take the engine a second
 * and a hundred megabytes; counting first takes a fiftieth of that.
 */
const maxValues = 250_000;

/** Parses a JSON text from outside; `offset` counts UTF-16 units from 0. Linear in time, constant in stack. */
export function parseJson(text: string): JsonResult {
  const excess = findExcess(text);
  if (excess !== null) return { ok: false, ...excess };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    // The engine's message quotes the text, which may hold a secret, and mostly lacks the position.
    return { ok: false, ...findFault(text) };
  }
}

/** Whether a parsed value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Line and column, both from 1, of an offset in a text. */
export function lineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

function findExcess(text: string): { readonly problem: string; readonly offset: number } | null {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) values += 1;
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) depth -= 1;
    if (depth > maxDepth) return { problem: `it nests deeper than ${maxDepth} levels`, offset: at };
    if (values > maxValues) return { problem: `it holds more than ${maxValues} values`, offset: at };
  }
  return null;
}
