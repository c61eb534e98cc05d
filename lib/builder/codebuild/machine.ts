import { readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/**
 * Removes what earlier builds have left in the temporary folder of CodeBuild's machine: everything but the folder in it
 * that CodeBuild itself works in, which `source` is a part of. Nowhere else is anything removed. Throws an Error with one
 * sentence when something cannot be removed: no build begins beside files of another.
 */
export async function clearMachine(temporary: string, source: string | undefined): Promise<void> {
  const [own = ''] = relative(temporary, source ?? '').split(sep);
  // On Lambda compute only /tmp can be written to: /tmp/codebuild/output/src123/src.
  if (source === undefined || own === '' || own === '..') return;
  for (const name of await readdir(temporary)) {
    if (name !== own) await rm(join(temporary, name), { recursive: true, force: true }).catch(() => undefined);
  }
  const left = (await readdir(temporary)).filter((name) => name !== own);
  if (left.length > 0) throw new Error('The machine of CodeBuild has files of another build. Deploy again.');
}
