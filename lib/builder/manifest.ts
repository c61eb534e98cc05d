import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import semver from 'semver';
import * as v from 'valibot';
import type { Settings } from '../../functions/core/apps/settings.ts';
import { MAX_MANIFEST_BYTES } from '../../functions/core/entry/manifest.ts';
import { isObject, parseJson } from '../../functions/core/json.ts';
import { encodingProblem } from '../../functions/core/text.ts';
import { hasCode } from '../files/errors.ts';
import { leadsOut } from './inside.ts';

/**
 * Returns the text of a file of a repository, or `undefined` when there is none. Throws an Error with one sentence when
 * it is larger than 1 MiB, or than `maxBytes`: what reads it would hold up all other applications; and when it is not
 * UTF-8. A byte order mark is left out.
 */
export async function textOf(path: string, maxBytes = MAX_MANIFEST_BYTES): Promise<string | undefined> {
  // A build can make a pipe, which would never end, and a socket, which cannot be opened.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'ENXIO'].some((code) => hasCode(error, code))) return undefined;
    throw error;
  });
  try {
    const stats = await file?.stat();
    if (!file || !stats?.isFile()) return undefined;
    if (await leadsOut(path, file.fd)) throw new Error(`${basename(path)} is a link that leads out of the repository.`);
    if (stats.size <= maxBytes) return utf8(path, await file.readFile('utf8'));
  } finally {
    await file?.close();
  }
  throw new Error(`${basename(path)} has more than ${maxBytes} bytes.`);
}

function utf8(path: string, text: string): string {
  const problem = encodingProblem(text);
  if (problem !== null) throw new Error(`${basename(path)} ${problem}.`);
  return text.replace(/^\uFEFF/, '');
}

/**
 * Returns the object in the text of a package.json, or another file, empty when it holds something else. Throws an Error
 * with one sentence when it is not JSON, or nests too deeply.
 */
export function manifestObject(text: string, file = 'package.json'): Readonly<Record<string, unknown>> {
  const result = parseJson(text);
  if (!result.ok) throw new Error(`${file} ${result.problem}.`);
  return isObject(result.value) ? result.value : {};
}

/** A parsed package.json, of which any content is possible. */
export type RawManifest = Readonly<Record<string, unknown>>;

const anyObject = v.record(v.string(), v.unknown());

/**
 * Returns the package.json of a folder, empty when there is none. Throws an Error with one sentence when it is not JSON
 * or too large.
 */
export async function manifestIn(folder: string): Promise<RawManifest> {
  return manifestObject((await textOf(join(folder, 'package.json'))) ?? '{}');
}

/** Returns the strings of a field that is an object, such as `scripts`; other values are left out. */
export function stringsIn(manifest: RawManifest, field: string): Readonly<Record<string, string>> {
  const object = v.safeParse(anyObject, manifest[field]);
  if (!object.success) return {};
  const strings = Object.entries(object.output).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(strings);
}

/** Returns the scripts of a package.json with the build that a setting puts in place of its own. */
export function scriptsWith(
  scripts: Readonly<Record<string, string>>,
  { build }: Pick<Settings, 'build'>,
): Readonly<Record<string, string>> {
  return build === undefined ? scripts : { ...scripts, build, 'heroku-postbuild': '' };
}

/** https://docs.npmjs.com/cli/v11/configuring-npm/package-json#devengines */
const DevEngine = v.object({ name: v.string(), version: v.optional(v.string()) });
const DevEngines = v.union([DevEngine, v.array(DevEngine)]);

/** Returns the first of these programs that a field of `devEngines` names; what cannot be read names none. */
export function devEngine(
  { devEngines }: RawManifest,
  field: 'runtime' | 'packageManager',
  names: readonly string[],
): v.InferOutput<typeof DevEngine> | undefined {
  const given = v.safeParse(DevEngines, isObject(devEngines) ? devEngines[field] : undefined);
  return given.success ? [given.output].flat().find(({ name }) => names.includes(name)) : undefined;
}

/** Returns the names of the packages that an application depends on, by default those for development too. */
export function packagesOf(manifest: RawManifest, fields = ['dependencies', 'devDependencies']): readonly string[] {
  return fields.flatMap((field) => Object.keys(stringsIn(manifest, field)));
}

/** Whether one of the fields holds something. */
export function holdsAny(manifest: RawManifest, fields: readonly string[]): boolean {
  return fields.some((field) => !isEmpty(manifest[field]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Far more than anyone writes. Reading a range of 64 KiB takes half a second, and comparing two of them minutes. */
const MAX_RANGE_LENGTH = 256;

/** Whether a text is a range of versions as npm reads it, of at most 256 characters. */
export function isVersionRange(text: string): boolean {
  return text.length <= MAX_RANGE_LENGTH && semver.validRange(text) !== null;
}
