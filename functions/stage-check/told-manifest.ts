import { isObject } from '../core/json.ts';

const told = ['name', 'version', 'description', 'private', 'type', 'main', 'engines'];
const toldScripts = ['prestart', 'start', 'build'];
/** Characters of a text that is told. */
const LONGEST = 1000;

/**
 * What the platform is told of a package manifest: how the application is called, built and started. The tarball holds
 * the whole file; the entry, which is written anew with each of its changes, must stay small whatever the file holds.
 */
export function toldManifest(manifest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const scripts = isObject(manifest.scripts) ? small(manifest.scripts, toldScripts) : {};
  return { ...small(manifest, told), ...(Object.keys(scripts).length > 0 && { scripts }) };
}

function small(object: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const fields = Object.entries(object).filter(([key]) => keys.includes(key));
  return Object.fromEntries(fields.filter(([, value]) => JSON.stringify(value).length <= LONGEST));
}
