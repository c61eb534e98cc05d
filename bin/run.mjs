// Runs a program of this folder: `node bin/run.mjs local`. Plain JavaScript, because it makes what reads TypeScript: the
// program is bundled into one file when a source has changed, and loaded as it is afterwards.
import { accessSync, constants, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundled } from '../lib/bundle/bundle.mjs';

const [program = ''] = process.argv.splice(2, 1);
const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(outputFolder(), `${program}.mjs`);
await bundled({ entry: `bin/${program}.ts`, outfile: bundle });
await import(pathToFileURL(bundle).href);

/** What this program and those that it starts keep in the folder for temporary files stays in the checkout too. */
function outputFolder() {
  const temporary = join(root, '.local/tmp');
  try {
    mkdirSync(temporary, { recursive: true });
    accessSync(temporary, constants.W_OK);
    process.env.TMPDIR = temporary;
    return join(root, '.local/programs');
  } catch {
    // The checkout belongs to somebody else.
    return mkdtempSync(join(tmpdir(), 'deployment-webhooks-'));
  }
}
