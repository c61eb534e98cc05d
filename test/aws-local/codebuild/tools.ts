import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceFileSync } from '../../../lib/files/atomic-file.ts';
import { shellQuote } from '../../../lib/process/command.ts';

/** Programs that CodeBuild's images have and a machine may not have. */
const PROGRAMS = ['curl', 'zip'] as const;

/**
 * Fills a folder with the programs that are missing on this machine, made with Node.js, and returns it. It belongs at
 * the end of the PATH.
 */
export function provideTools(folder: string, path = process.env.PATH ?? ''): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of PROGRAMS.filter((program) => !isOn(path, program))) {
    const program = fileURLToPath(new URL(`tools/${name}.mjs`, import.meta.url));
    const script = `#!/bin/sh\nexec ${shellQuote(process.execPath)} ${shellQuote(program)} "$@"\n`;
    replaceFileSync(join(folder, name), script, { executable: true });
  }
  return folder;
}

function isOn(path: string, program: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
