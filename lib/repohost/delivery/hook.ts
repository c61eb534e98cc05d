import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from '../../bundle/bundle.mjs';
import { replaceFileSync } from '../../files/atomic-file.ts';
import { shellQuote } from '../../processes/shell-quote.ts';

const MARK = '# Written by the repository host of this machine at each of its starts.';
const PROGRAM = fileURLToPath(new URL('post-receive.ts', import.meta.url));

/**
 * Bundles a program of the hooks into one file, so that it starts fast and does not depend on this project's folder or
 * on what reads TypeScript. The file is replaced in one step: a push may run it meanwhile.
 */
export async function bundleProgram(file: string, entry = PROGRAM): Promise<void> {
  await bundled({ entry, outfile: file });
}

/** Whether a file is a hook that this host has written. */
export function isOwnHook(file: string): boolean {
  return readFileSync(file, 'utf8').includes(MARK);
}

/**
 * Installs the post-receive hook in a bare repository. It holds the absolute path of node, which may not be on git's
 * PATH; each start of the host rewrites it. The NODE_OPTIONS of the user who pushes do not apply to the hook.
 */
export function installHook(repository: string, program: string, dataDir: string): void {
  const node = shellQuote(process.execPath);
  const script = [
    '#!/bin/sh',
    MARK,
    'unset NODE_OPTIONS',
    `if [ ! -x ${node} ] || [ ! -f ${shellQuote(program)} ]; then`,
    "  echo 'The deploy could not be requested: node has moved. Run npm start once, then push again.'",
    '  exit 0',
    'fi',
    `exec ${node} ${shellQuote(program)} ${shellQuote(dataDir)}`,
    '',
  ].join('\n');
  const hooks = join(repository, 'hooks');
  mkdirSync(hooks, { recursive: true });
  // In one step as well: a hook that is being written cannot be run (ETXTBSY), or runs in part.
  replaceFileSync(join(hooks, 'post-receive'), script, { executable: true });
}
