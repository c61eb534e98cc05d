import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles the program that the hooks run into one file, so that it starts fast and does not depend on this project's folder
 * or its TypeScript loader.
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
 * Installs the post-receive hook in a bare repository. It holds the absolute path of node, which may not be on git's PATH;
 * each start of the host rewrites it. The NODE_OPTIONS of the user who pushes do not apply to the hook.
 */
export function installHook(repository: string, program: string, dataDir: string): void {
  const node = quote(process.execPath);
  const script = [
    '#!/bin/sh',
    '# Written by the repository host of this machine at each of its starts.',
    'unset NODE_OPTIONS',
    `if [ ! -x ${node} ] || [ ! -f ${quote(program)} ]; then`,
    "  echo 'The deploy could not be requested: node has moved. Run npm start once, then push again.'",
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

/** Quotes any string as one word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
