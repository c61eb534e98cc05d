// Lets Node read TypeScript: `node --import ./bin/typescript.mjs <file>`. What this program and those that it starts
// keep in the folder for temporary files, as tsx does with what it has transformed, stays in the checkout.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const temporary = fileURLToPath(new URL('../.local/tmp', import.meta.url));
try {
  mkdirSync(temporary, { recursive: true });
  accessSync(temporary, constants.W_OK);
  process.env.TMPDIR = temporary;
} catch {
  // The checkout belongs to somebody else: the machine's folder is used.
}
await import('tsx');
