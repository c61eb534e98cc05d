import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Project } from '../project.ts';
import { download, upload } from './transfer.ts';

const run = promisify(execFile);
/** Fetching more takes longer than the installation. */
const MOST_KB = 500 * 1024;

/** Unpacks the packages of the last build into a folder, which is empty when there are none. */
export async function fetchPackages(address: string, folder: string): Promise<void> {
  const file = `${folder}.tgz`;
  await mkdir(folder);
  try {
    await download(address, file);
    await run('tar', ['-xzf', file, '-C', folder]);
  } catch {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
  }
  await rm(file, { force: true });
}

/** Stores the packages for the next build, unless they are those of the last one, or too many. */
export async function keepPackages(folder: string, { installAt, manager }: Project, address: string): Promise<void> {
  const lockfile = await readFile(join(installAt, manager.lockfile ?? 'package.json'));
  const id = `${createHash('sha256').update(lockfile).digest('hex')} ${process.version}`;
  const file = join(folder, 'id');
  if ((await readFile(file, 'utf8').catch(() => '')) === id) return;
  await writeFile(file, id);
  const { stdout } = await run('du', ['-sk', folder]);
  if (Number.parseInt(stdout, 10) > MOST_KB) return;
  await run('tar', ['-czf', `${folder}.tgz`, '-C', folder, '.']);
  await upload(`${folder}.tgz`, address);
}
