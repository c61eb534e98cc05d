import { isObject } from '../core/json.ts';

const FIELDS = ['name', 'version', 'description', 'private', 'type', 'main', 'engines'];
const SCRIPTS = ['prestart', 'start', 'build'];
const MAX_FIELD_CHARACTERS = 1000;

/**
 * Returns the part of a package manifest that the platform needs: how the application is named, built and started. The
 * tarball contains the whole file; the entry is written again with each of its changes and must stay small.
 */
export function manifestSummary(manifest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const scripts = isObject(manifest.scripts) ? pickShort(manifest.scripts, SCRIPTS) : {};
  return { ...pickShort(manifest, FIELDS), ...(Object.keys(scripts).length > 0 && { scripts }) };
}

function pickShort(object: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const fields = Object.entries(object).filter(([key]) => keys.includes(key));
  return Object.fromEntries(fields.filter(([, value]) => JSON.stringify(value).length <= MAX_FIELD_CHARACTERS));
}
