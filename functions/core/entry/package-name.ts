import { createHash } from 'node:crypto';
import validate from 'validate-npm-package-name';

/** The longest name that npm accepts for new packages. */
const MAX_NAME_LENGTH = 214;
/** The longest DNS label. */
const MAX_LABEL_LENGTH = 63;
const DIGEST_LENGTH = 8;

/**
 * Returns the application's name on the platform, from the package's name: a DNS label and one segment of a path.
 *
 * | package | application |
 * |---|---|
 * | `@scope/app` | `scope-app` |
 * | `My_app.js` | `my-app-js` |
 * | longer than 63 | its first 54 characters, `-`, and 8 digits of its SHA-256, so that long names stay distinct |
 *
 * Packages whose names differ only in mapped characters (`a.b`, `a-b`) are one application. The same name returns the
 * same label, and a label returns itself. Empty when the name has neither letters nor digits.
 */
export function appName(name: string): string {
  const label = trimDashes(name.toLowerCase().replace(/[^a-z\d]+/g, '-'));
  if (label.length <= MAX_LABEL_LENGTH) return label;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH);
  return `${trimDashes(label.slice(0, MAX_LABEL_LENGTH - DIGEST_LENGTH - 1))}-${digest}`;
}

/**
 * Returns what is wrong with the name of a package, as the end of a sentence; null when nothing is. The rules are
 * npm's; capital letters and names of core modules are accepted, as for old packages.
 */
export function nameProblem(name: string): string | null {
  // The library throws on half a surrogate pair.
  if (/\p{Cs}/u.test(name)) return 'is not valid Unicode';
  if (name.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters`;
  if (hasDotScope(name)) return 'has a scope that begins with a dot';
  const { errors } = validate(name);
  if (errors) return `npm does not accept (${errors.join('; ')}): use lower-case letters, digits, dashes and dots`;
  return appName(name) === '' ? 'has neither letters nor digits' : null;
}

/** Whether a name is like `@../app`, which the library accepts and no registry has. */
function hasDotScope(name: string): boolean {
  return name.startsWith('@.');
}

function trimDashes(text: string): string {
  return text.replace(/^-+|(?<!-)-+$/g, '');
}
