// Runs a program of this folder: `node bin/run.mjs local`. Plain JavaScript, because it makes what reads TypeScript: the
// program is bundled into one file when a source has changed, and loaded as it is afterwards.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundled, programFolder } from '../lib/bundle/bundle.mjs';

const [program = ''] = process.argv.splice(2, 1);
const bundle = join(programFolder(), `${program}.mjs`);
await bundled({ entry: `bin/${program}.ts`, outfile: bundle });
await import(pathToFileURL(bundle).href);
