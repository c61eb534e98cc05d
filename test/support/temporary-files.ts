import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../lib/processes/process-info.ts';
import { testFolder } from './service/place.ts';

const folder = join(testFolder, 'tmp');

/**
 * Has this process and those that it starts keep temporary files in the checkout, in a folder of this run, and git find
 * no repository above it. Called when a configuration is loaded, which each project does again: vitest makes its own
 * temporary folder right after.
 */
export function keepTemporaryFilesHere(): void {
  if (process.env.TMPDIR?.startsWith(folder)) return;
  mkdirSync(folder, { recursive: true });
  const own = mkdtempSync(join(folder, `${process.pid}-`));
  process.env.TMPDIR = own;
  process.env.GIT_CEILING_DIRECTORIES = own;
}

/** Removes the folder of a run at its end, and those of runs that were killed. */
export default function setup(): () => void {
  const ended = readdirSync(folder).filter((name) => !isAlive(Number.parseInt(name, 10)));
  for (const name of ended) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  return () => {
    const { TMPDIR } = process.env;
    if (TMPDIR?.startsWith(folder)) rmSync(TMPDIR, { recursive: true, force: true, maxRetries: 3 });
  };
}
