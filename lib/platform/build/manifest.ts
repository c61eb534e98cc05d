import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { hasCode } from '../../processes/error-code.ts';

/** A parsed package.json, of which any content is possible. */
export type RawManifest = Readonly<Record<string, unknown>>;

const anyObject = v.record(v.string(), v.unknown());

/**
 * Returns the package.json of a folder, empty when there is none. Throws an Error with one sentence when it is not
 * JSON.
 */
export async function manifestIn(folder: string): Promise<RawManifest> {
  return jsonObject(await textOf(join(folder, 'package.json')));
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

/** Whether one of the fields holds something. */
export function holdsAny(manifest: RawManifest, fields: readonly string[]): boolean {
  return fields.some((field) => !isEmpty(manifest[field]));
}

/** Returns the text of a file, or `undefined` when there is none. */
export async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  });
}

/** Parses a JSON object; no text is an empty one. npm accepts a byte order mark. */
export function jsonObject(text: string | undefined): RawManifest {
  try {
    const parsed = v.safeParse(anyObject, JSON.parse((text ?? '{}').replace(/^\uFEFF/, '')));
    return parsed.success ? parsed.output : {};
  } catch {
    throw new Error('package.json or the lockfile is not valid JSON.');
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
