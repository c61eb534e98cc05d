import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Call } from '../command.ts';
import { UsageError } from '../errors.ts';

/** The package.json of this command line, which names no application of the user. */
const OWN_PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url));

/**
 * Returns the application that a call is about: the one that is named, else the one of the package.json in the user's
 * folder or above it, up to the root of the repository. Throws a `UsageError` when there is neither.
 */
export async function appName({ folder }: Pick<Call, 'folder'>, named: string | undefined): Promise<string> {
  const name = named || (await packageName(folder));
  if (name) return name;
  throw new UsageError(
    'Which application? Name it, or go to the folder of its package.json; "hooks apps" lists what there is.',
  );
}

/** Returns the name in the nearest package.json; null when there is none. */
export async function packageName(folder: string): Promise<string | null> {
  const file = join(folder, 'package.json');
  const name = file === OWN_PACKAGE ? null : await readName(file);
  if (name !== null) return name;
  const parent = dirname(folder);
  if (parent === folder || existsSync(join(folder, '.git'))) return null;
  return packageName(parent);
}

async function readName(file: string): Promise<string | null> {
  try {
    const { name } = JSON.parse(await readFile(file, 'utf8'));
    return typeof name === 'string' && name !== '' ? name : null;
  } catch {
    return null;
  }
}
