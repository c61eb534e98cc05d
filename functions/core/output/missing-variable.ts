import { stripVTControlCharacters } from 'node:util';
import { shortLines } from './short-lines.ts';

/** Names of variables with an underscore: single words, such as TOKEN, often mean something else. */
// Not in brackets, where git remarks on one that it could use.
const NAME = '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)';
const MISSING =
  '(?:not set|not defined|not provided|not configured|not found|missing|required|undefined|unset|empty|must be set|unbound variable|parameter not set)';
const PATTERNS = [
  new RegExp(
    `(?<![A-Za-z0-9_.(])(?:process\\.env\\.|env\\.)?["'\`]?${NAME}["'\`]?:? (?:environment variable |env var )?(?:is |was |are |must )?(?:be )?${MISSING}`,
  ),
  new RegExp(
    `\\b(?:[Mm]issing|[Rr]equired?s?|not found)\\b[^A-Z=/]{0,40}(?:process\\.env\\.|env\\.)?["'\`]?${NAME}(?![A-Za-z0-9_])`,
  ),
  // Python, of os.environ.
  new RegExp(`^KeyError: '${NAME}'$`),
  // zod prints { DATABASE_URL: [ 'Required' ] }
  new RegExp(`^\\W*${NAME}\\W+Required\\W*$`),
];

/** Lines of libraries that check all variables at once, and then name each that is wrong. */
const CHECKED =
  /\b(?:invalid|bad|wrong|missing|validation|errors?)\b.{0,60}\b(?:environment|env|config|configuration)\b|\benvironment validation\b|\bZodError: \[|must have required property|^\s+→ at [A-Z]|\bExpected required property\b|\(was missing\)$/i;
const WRONG = [
  // Adonis, in a line of its own or in a string with several.
  /Missing environment variable "([A-Z]\w*)"/g,
  // The issues of zod, and its errors by field; its text; those of TypeBox, ArkType, ajv and envalid.
  /\bpath"?: \[\s*['"]([A-Z]\w*)['"]\s*\]/g,
  /\bpath: '\/([A-Z]\w*)'/g,
  /^[ \t•]*([A-Z]\w*) must be .*\(was missing\)$/gm,
  /^[ \t]+→ at ([A-Z]\w*)$/gm,
  /must have required property '([A-Z][A-Z0-9_]*)'/g,
  /^[ \t]+(?:- )?([A-Z][A-Z0-9_]*): (?:undefined|Invalid|Required|Missing|Expected|must)\b/gm,
  /^[ \t]+\[([A-Z][A-Z0-9_]*)\]:$/gm,
  /\b([A-Z][A-Z0-9_]*): \[ ['"](?:Required|Invalid)/g,
];

/** Set by the platform. */
const OWN = new Set(['DATA_DIR']);

/**
 * Returns the environment variable that an application or its build misses, by what it printed; null when it says
 * nothing of one.
 */
export function missingVariable(output: readonly string[]): string | null {
  const [first] = wrongNames(output);
  if (first !== undefined) return first;
  for (const line of shortLines(output)) {
    for (const pattern of PATTERNS) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined && !OWN.has(name) && !/^(?:ERR|E)_/.test(name)) return name;
    }
  }
  return null;
}

/**
 * Returns which variables an application, or its build, has found missing or invalid when it checked all of them; undefined
 * when it printed no such thing.
 */
export function wrongVariables(output: readonly string[]): string | undefined {
  const names = wrongNames(output);
  return names.length === 0 ? undefined : `Missing or invalid environment variables: ${names.join(', ')}`;
}

function wrongNames(output: readonly string[]): readonly string[] {
  const lines = shortLines(output);
  if (!lines.some((line) => CHECKED.test(line))) return [];
  // Some are in several lines.
  const text = stripVTControlCharacters(lines.join('\n'));
  const matches = WRONG.flatMap((pattern) => [...text.matchAll(pattern)]).sort((one, other) => one.index - other.index);
  return [...new Set(matches.flatMap(([, name]) => name ?? []))];
}
