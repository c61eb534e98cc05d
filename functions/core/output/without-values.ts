import { MAX_LINE_CHARACTERS } from './short-lines.ts';

type Variables = Readonly<Record<string, string>>;

/** Shorter values (`1`, `true`) are not secret, and masking them would make a log unreadable. */
const MIN_SECRET_LENGTH = 6;
/** Neither is a word (`server`), or a path of words (`src/server/index.ts`), unless the name of its variable says so. */
const WORD = '(?:[a-z]{1,12}|[A-Z][a-z]{1,11}|[A-Z]{1,12})';
const WORDS = new RegExp(`^(?:\\.?/)?${WORD}(?:/${WORD}){0,5}(?:\\.[a-z]{1,4})?$`);
const SECRET_NAME = /PASS|PWD|SECRET|TOKEN|KEY|AUTH|CREDENTIAL|SALT|PIN\b/i;
const MASK = '***';
// The object of an application's variables is the same for each line of a build.
const masks = new WeakMap<Variables, (line: string) => string>();

/**
 * Returns the lines without the values of these variables, each of at most 2000 characters: an application may print
 * its environment when it fails. About linear in the text, also for a value with thousands of lines.
 */
export function withoutValues(lines: readonly string[], variables: Variables): readonly string[] {
  const mask = masks.get(variables) ?? maskOf(variables);
  masks.set(variables, mask);
  // Cut twice, because half of a value would not be recognised.
  return lines.map((line) => mask(line.slice(0, MAX_LINE_CHARACTERS * 2)).slice(0, MAX_LINE_CHARACTERS));
}

function maskOf(variables: Variables): (line: string) => string {
  const hidden = Object.entries(variables).filter(([name, value]) => !WORDS.test(value) || SECRET_NAME.test(name));
  const pieces = hidden.flatMap(([, value]) => value.split('\n'));
  const secrets = [...new Set(pieces.filter((piece) => piece.length >= MIN_SECRET_LENGTH))].sort();
  const beginnings = new Set(secrets.map((secret) => secret.slice(0, MIN_SECRET_LENGTH)));
  const longestAtStart = longestPrefixIn(secrets);
  return (line) => {
    let shown = '';
    let hiddenTo = 0;
    for (let at = 0; at < line.length; at += 1) {
      if (!beginnings.has(line.slice(at, at + MIN_SECRET_LENGTH))) continue;
      const length = longestAtStart(line.slice(at));
      if (length > 0 && at >= hiddenTo) shown += line.slice(hiddenTo, at) + MASK;
      if (length > 0) hiddenTo = Math.max(hiddenTo, at + length);
    }
    return shown + line.slice(hiddenTo);
  };
}

/** Returns a function that returns the length of the longest of the sorted strings that a text starts with, or 0. */
function longestPrefixIn(sorted: readonly string[]): (text: string) => number {
  const shorter = prefixesOf(sorted);
  return (text) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    // Only the last value that sorts before the text, or a prefix of that value, can be a prefix of the text.
    for (let one = sorted[low - 1]; one !== undefined; one = shorter.get(one)) {
      if (text.startsWith(one)) return one.length;
    }
    return 0;
  };
}

/** Returns for each of the sorted strings the longest other one that it starts with. */
function prefixesOf(sorted: readonly string[]): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  const open: string[] = [];
  for (const one of sorted) {
    while (open.length > 0 && !one.startsWith(open.at(-1) ?? '')) open.pop();
    const prefix = open.at(-1);
    if (prefix !== undefined) prefixes.set(one, prefix);
    open.push(one);
  }
  return prefixes;
}
