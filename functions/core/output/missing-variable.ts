import { shortLines } from './short-lines.ts';

/** Names of variables with an underscore: single words, such as TOKEN, often mean something else. */
const NAME = '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)';
const MISSING = '(?:not set|not defined|not provided|not found|missing|required|undefined|unset|must be set)';
const PATTERNS = [
  new RegExp(
    `(?<![A-Za-z0-9_.])(?:process\\.env\\.|env\\.)?["'\`]?${NAME}["'\`]?:? (?:environment variable |env var )?(?:is |was |are |must )?(?:be )?${MISSING}`,
  ),
  new RegExp(
    `\\b(?:[Mm]issing|[Rr]equired?s?|not found)\\b[^A-Z=/]{0,40}(?:process\\.env\\.|env\\.)?["'\`]?${NAME}(?![A-Za-z0-9_])`,
  ),
  // zod prints { DATABASE_URL: [ 'Required' ] }
  new RegExp(`^\\W*${NAME}\\W+Required\\W*$`),
];

/** Set by the platform. */
const OWN = new Set(['DATA_DIR']);

/**
 * Returns the environment variable that an application or its build misses, by what it printed; null when it says
 * nothing of one.
 */
export function missingVariable(output: readonly string[]): string | null {
  for (const line of shortLines(output)) {
    for (const pattern of PATTERNS) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined && !OWN.has(name) && !/^(?:ERR|E)_/.test(name)) return name;
    }
  }
  return null;
}
