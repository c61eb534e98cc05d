import parseVersion from 'semver/functions/parse.js';
import { DeployError } from '../errors.ts';
import { isObject, parseJson } from '../json.ts';
import { nameFor } from './app-owner.ts';
import type { Entry } from './entry.ts';
import { nameProblem } from './package-name.ts';

/** The largest package.json that is read, in bytes. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;

const DEFAULT_VERSION = '0.0.0';
const MAX_VERSION_LENGTH = 64;

export interface Manifest {
  /** As written: `@scope/app`. */
  readonly name: string;
  /** The version as a path segment, for the id of a snapshot; `0.0.0` when the file has none. */
  readonly version: string;
  /** The whole file. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * Returns the contents of a package.json; `path` is its place in the repository, for errors. Throws
 * `deploy:repohost:no_pkg_json`, not retryable, when the file is too large, is not a JSON object, or has no valid name
 * (https://docs.npmjs.com/cli/configuring-npm/package-json#name).
 */
export function readManifest(text: string, path = 'package.json'): Manifest {
  const unreadable = (problem: string) => refusal(path, problem);
  // A UTF-16 unit takes at most three bytes in UTF-8, so most files need no measuring.
  if (text.length * 3 > MAX_MANIFEST_BYTES && Buffer.byteLength(text) > MAX_MANIFEST_BYTES) {
    throw unreadable(`has more than ${MAX_MANIFEST_BYTES} bytes`);
  }
  const manifest = readObject(text.replace(/^\ufeff/, ''), unreadable);
  const { version } = manifest;
  return {
    name: readName(manifest.name, unreadable),
    version: snapshotVersion(version),
    manifest,
  };
}

/** Returns the error for what is wrong with the file, as the end of a sentence. */
type Unreadable = (problem: string) => DeployError;

function readObject(text: string, unreadable: Unreadable): Readonly<Record<string, unknown>> {
  const result = parseJson(text);
  if (!result.ok) throw unreadable(result.problem);
  if (!isObject(result.value)) throw unreadable('does not hold a JSON object');
  return result.value;
}

function readName(name: unknown, unreadable: Unreadable): string {
  if (name === undefined || name === null || name === '') {
    throw unreadable('has no name, which the application is called by');
  }
  if (typeof name !== 'string') throw unreadable('has a name that is not text');
  const problem = nameProblem(name);
  if (problem !== null) throw unreadable(`has a name that ${problem}`);
  return name;
}

/** Returns a semantic version in its canonical form, and any other string with its unsafe characters replaced. */
function snapshotVersion(version: unknown): string {
  if (typeof version !== 'string') return DEFAULT_VERSION;
  const parsed = parseVersion(version);
  const text = parsed
    ? [parsed.version, ...(parsed.build.length > 0 ? [parsed.build.join('.')] : [])].join('-')
    : version;
  const safe = text.slice(0, MAX_VERSION_LENGTH).replace(/[^\w.-]+/g, '-');
  const trimmed = safe.replace(/\.{2,}/g, '.').replace(/^[.-]+|(?<![.-])[.-]+$/g, '');
  return trimmed === '' ? DEFAULT_VERSION : trimmed;
}

function refusal(path: string, problem: string): DeployError {
  return new DeployError('deploy:repohost:no_pkg_json', `${path} ${problem}.`, { retry: false });
}

/** An entry that knows the application that it previews, and the manifest under the name of its application. */
interface NamedEntry {
  readonly entry: Entry;
  readonly manifest: Manifest;
}

/**
 * Returns the package.json of an entry under the name of its application, which that of an environment or a preview adds
 * to. Throws `deploy:repohost:no_pkg_json` when that would be longer than a name may be; one that is only too long for a
 * host name is shortened as all names are (`appName`).
 */
export function namedManifest(entry: Entry, manifest: Manifest): NamedEntry {
  const { name: parent } = manifest;
  const { environment, pullRequest } = entry;
  if (environment === undefined && !pullRequest) return { entry, manifest };
  const name = nameFor(parent, entry);
  const problem = nameProblem(name);
  if (problem !== null) {
    const what = pullRequest ? 'preview' : `environment ${environment}`;
    const detail = `The ${what} of ${parent} would have a name that ${problem}; give the package a shorter one.`;
    throw new DeployError('deploy:repohost:no_pkg_json', detail, { retry: false });
  }
  return {
    entry: pullRequest ? { ...entry, pullRequest: { ...pullRequest, parent } } : entry,
    manifest: { ...manifest, name, manifest: { ...manifest.manifest, name } },
  };
}
