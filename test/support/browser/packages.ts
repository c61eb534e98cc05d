import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testFolder } from '../service/place.ts';

const run = promisify(execFile);

/** Packages that are installed on demand; the folder of that name has their package.json and lockfile. */
export type Packages = 'driver' | 'chromium';

const sources = fileURLToPath(new URL('.', import.meta.url));
/** Not beside the sources: what walks through these would find the packages. */
const folder = join(testFolder, 'packages');
const installing = new Map<Packages, Promise<string>>();

/**
 * Returns the folder in which packages are installed, after installing them if they are not. It may be called at the
 * same time, in this process and in others.
 */
export function installed(packages: Packages): Promise<string> {
  const found = installing.get(packages) ?? install(packages);
  installing.set(packages, found);
  return found;
}

/** The folder gets its name when all is in it, so that nobody imports a package that is written in part. */
async function install(packages: Packages): Promise<string> {
  const source = join(sources, packages);
  const lockfile = readFileSync(join(source, 'package-lock.json'));
  const target = join(folder, `${packages}-${createHash('sha256').update(lockfile).digest('hex')}`);
  if (existsSync(target)) return target;
  mkdirSync(folder, { recursive: true });
  const building = mkdtempSync(`${target}.`);
  try {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(source, file), join(building, file));
    await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: building });
    renameSync(building, target);
  } catch (error) {
    rmSync(building, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(target)) throw error;
  }
  return target;
}
