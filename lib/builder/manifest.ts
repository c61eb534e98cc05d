import { join } from 'node:path';
import * as v from 'valibot';
import { manifestObject, textOf } from './release-file.ts';

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

/** Whether one of the fields holds something. */
export function holdsAny(manifest: RawManifest, fields: readonly string[]): boolean {
  return fields.some((field) => !isEmpty(manifest[field]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
