import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../lib/process/process-info.ts';
import { testFolder } from './service/place.ts';

const folder = join(testFolder, 'tmp');

/**
 * Makes a folder of this run in the checkout the one for temporary files, for this process and those that it starts. It
 * is their home folder too: the CDK and browsers keep files there, and a user's git may sign commits. Called when a
 * configuration is loaded, which each project does again: vitest makes its own temporary folder right after.
 */
export function keepTemporaryFilesHere(): void {
  const { env } = process;
  if (env.TMPDIR?.startsWith(folder)) return;
  mkdirSync(folder, { recursive: true });
  const own = mkdtempSync(join(folder, `${process.pid}-`));
  // Node reads a file without a package.json above it as CommonJS; that of the checkout says otherwise.
  writeFileSync(join(own, 'package.json'), '{}');
  // Where packages come from, and those that npm has already.
  env.npm_config_userconfig ??= join(homedir(), '.npmrc');
  env.npm_config_cache ??= join(homedir(), '.npm');
  // git finds no repository above it.
  Object.assign(env, { TMPDIR: own, HOME: own, GIT_CEILING_DIRECTORIES: own });
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
