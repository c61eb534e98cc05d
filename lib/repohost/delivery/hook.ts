import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Makes the program that the hooks run: one file, so that a push needs neither this project's folder nor its loader, and
 * starts in a few hundredths of a second.
 */
export async function buildHookProgram(file: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('post-receive.ts', import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
}

/**
 * Puts the post-receive hook into a bare repository. Git's own PATH need not know node, hence the whole path of the node
 * that runs now; the next start of the host writes it anew. The pusher's NODE_OPTIONS are theirs, not the hook's.
 */
export function installHook(repository: string, program: string, dataDir: string): void {
  const node = quote(process.execPath);
  const script = [
    '#!/bin/sh',
    '# Written by the repository host of this machine at each of its starts.',
    'unset NODE_OPTIONS',
    `if [ ! -x ${node} ] || [ ! -f ${quote(program)} ]; then`,
    "  echo 'The deploy could not be asked for: node has moved. Run npm start once, then push again.'",
    '  exit 0',
    'fi',
    `exec ${node} ${quote(program)} ${quote(dataDir)}`,
    '',
  ].join('\n');
  const hooks = join(repository, 'hooks');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, 'post-receive'), script);
  chmodSync(join(hooks, 'post-receive'), 0o755);
}

/** A word for a POSIX shell, whatever it holds. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
