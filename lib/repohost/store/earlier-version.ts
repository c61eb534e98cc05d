import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What version 1.0.0 kept besides repositories: access tokens, commit statuses, pushes that were not sent yet, and the
 * programs and the address for its hooks.
 */
const FILES = ['tokens.json', 'statuses', 'deliveries', 'running.json', 'follow.mjs', 'follow.mjs.inputs.json'];

/** Puts away what an earlier version has left, for going back to it; the start after that removes it. */
export function putAway(root: string): void {
  const away = join(root, 'earlier-version');
  rmSync(away, { recursive: true, force: true });
  const left = FILES.filter((file) => existsSync(join(root, file)));
  if (left.length > 0) mkdirSync(away, { mode: 0o700 });
  for (const file of left) renameSync(join(root, file), join(away, file));
}
