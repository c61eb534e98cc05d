import { basename, join } from 'node:path';
import { bundled } from '../../../lib/bundle/bundle.mjs';
import { testFolder } from '../service/place.ts';

/**
 * Bundles a module of the checkout, named by its path, and returns the file, which Node loads as it is. A process that
 * reads TypeScript itself takes half a second of a processor before it begins.
 */
export async function bundledProgram(entry: string): Promise<string> {
  const outfile = join(testFolder, 'programs', `${basename(entry, '.ts')}.mjs`);
  await bundled({ entry, outfile });
  return outfile;
}
