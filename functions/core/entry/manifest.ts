import { createHash } from 'node:crypto';
import { DeployError } from '../errors.ts';
import { isObject, lineAndColumn, parseJson } from '../json.ts';

/** The largest package.json that is read, in bytes. */
export const maxManifestBytes = 1024 * 1024;

const longestLabel = 63;
const defaultVersion = '0.0.0';

/** What a package.json says. */
export interface Manifest {
  /** As written: `@scope/app`. */
  readonly name: string;
  /** The version, fit for the id of a snapshot: one segment of a path. `0.0.0` when the file names none. */
  readonly version: string;
  /** The whole file. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * Reads the text of a package.json. Throws `deploy:repohost:no_pkg_json`, not retryable, naming what is wrong: too
 * large, not JSON (with line and column), no object, no name, a name that npm would not take
 * (https://docs.npmjs.com/cli/configuring-npm/package-json#name) or that leaves nothing to call the application.
 */
export function readManifest(text: string): Manifest {
  // At most three bytes are written for one UTF-16 unit: most texts need not be measured.
  if (text.length > maxManifestBytes || (text.length * 3 > maxManifestBytes && byteLength(text) > maxManifestBytes)) {
    throw unreadable(`has more than ${maxManifestBytes} bytes`);
  }
  const manifest = readObject(text.replace(/^\ufeff/, ''));
  return { name: readName(manifest.name), version: snapshotVersion(manifest.version), manifest };
}

/**
 * The application's name on the platform, from the package's name: a DNS label and a segment of a path.
 *
 * | package | application |
 * |---|---|
 * | `@scope/app` | `scope-app` |
 * | `My_app.js` | `my-app-js` |
 * | longer than 63 | its first 54 characters, `-`, and 8 digits of its SHA-256, so that long names stay distinct |
 *
 * Packages whose names differ only in what is mapped (`a.b`, `a-b`) are one application. The same name gives the same
 * label, and a label itself. Empty when the name has neither letters nor digits.
 */
export function appName(name: string): string {
  const label = trimDashes(name.toLowerCase().replace(/[^a-z\d]+/g, '-'));
  if (label.length <= longestLabel) return label;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${trimDashes(label.slice(0, longestLabel - 9))}-${digest}`;
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  const result = parseJson(text);
  if (!result.ok) {
    const { line, column } = lineAndColumn(text, result.offset);
    throw unreadable(`is not valid JSON: ${result.problem}, at line ${line}, column ${column}`);
  }
  if (!isObject(result.value)) throw unreadable('does not hold a JSON object');
  return result.value;
}

function readName(name: unknown): string {
  if (name === undefined || name === null || name === '')
    throw unreadable('has no name, which the application is called by');
  if (typeof name !== 'string') throw unreadable('has a name that is not text');
  const problem = nameProblem(name);
  if (problem !== null) throw unreadable(`has a name that ${problem}`);
  return name;
}

/**
 * What is wrong with a name of a package, as the end of a sentence; null when nothing is. Npm's rules (https://github.com/npm/validate-npm-package-name), those for old
 * packages where it comes to capitals.
 */
export function nameProblem(name: string): string | null {
  if (name.length > 214) return 'is longer than 214 characters';
  if (!/^(?:@[\w.-]+\/)?[\w.~-]+$/.test(name))
    return 'npm does not take: letters, digits, dots, dashes and underscores only';
  if (/^[._]|\/[._]/.test(name)) return 'starts with a dot or an underscore';
  if (/^(?:node_modules|favicon\.ico)$/i.test(name)) return 'npm keeps for itself';
  return appName(name) === '' ? 'has neither letters nor digits' : null;
}

function snapshotVersion(version: unknown): string {
  if (typeof version !== 'string') return defaultVersion;
  const safe = version.slice(0, 64).replace(/[^\w.-]+/g, '-');
  const trimmed = safe.replace(/\.{2,}/g, '.').replace(/^[.-]+|[.-]+$/g, '');
  return trimmed === '' ? defaultVersion : trimmed;
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '');
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function unreadable(problem: string): DeployError {
  return new DeployError('deploy:repohost:no_pkg_json', `package.json ${problem}.`, { retry: false });
}
