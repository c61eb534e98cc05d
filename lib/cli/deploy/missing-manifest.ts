import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../command.ts';

const SITES = ['index.html', join('public', 'index.html')];

/**
 * Writes a package.json with the application's name into the repository's root when that has a site and no
 * package.json, after asking for it. Returns whether it did. Without a terminal it asks nothing, and says what is
 * missing.
 */
export async function offerManifest(call: Call, { root, name }: { readonly root: string; readonly name: string }) {
  const file = join(root, 'package.json');
  if (existsSync(file)) return false;
  if (!SITES.some((site) => existsSync(join(root, site)))) {
    call.warn(
      'There is no package.json in the root of this repository: only Node applications and static sites can be deployed.',
    );
    return false;
  }
  const manifest = { name: packageNameOf(name) };
  if (!(await isWanted(call, manifest.name))) {
    call.warn(
      `Before it can be deployed, commit a package.json that names the application: ${JSON.stringify(manifest)}`,
    );
    return false;
  }
  // Never over a file that has come in the meantime.
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' });
  return true;
}

async function isWanted({ args, stdin }: Call, name: string): Promise<boolean> {
  if (args.flag('package-json')) return true;
  if (!stdin.isTTY) return false;
  const answer = await stdin.ask(
    `This site has no package.json, which names an application. Write one with the name "${name}"? [Y/n] `,
  );
  return /^(y|yes|)$/i.test(answer.trim());
}

/** Names of packages have lower-case letters only. */
function packageNameOf(repository: string): string {
  return repository.toLowerCase().replace(/[^a-z0-9]+$/, '');
}
