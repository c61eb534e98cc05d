import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lockInstance } from '../../../lib/process/instance-lock.ts';
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
 * same time, in this process and in others: one installs, the others wait.
 */
export function installed(packages: Packages): Promise<string> {
  const found = installing.get(packages) ?? install(packages);
  installing.set(packages, found);
  return found;
}

async function install(packages: Packages): Promise<string> {
  const source = join(sources, packages);
  const files = ['package.json', 'package-lock.json'];
  const lockfile = readFileSync(join(source, 'package-lock.json'));
  const target = join(folder, `${packages}-${createHash('sha256').update(lockfile).digest('hex')}`);
  return madeOnce(target, async (building) => {
    for (const file of files) cpSync(join(source, file), join(building, file));
    await installIn(building);
  });
}

/**
 * Makes a folder unless it exists, and returns it. It gets its name when all is in it, so that nobody uses what is
 * written in part. It may be called at the same time in several processes: one makes it, the others wait.
 */
export async function madeOnce(target: string, make: (building: string) => Promise<void>): Promise<string> {
  while (!existsSync(target)) {
    const release = await lockInstance(`${target}.lock`).catch(heldByAnother);
    if (release) await makeWhole(target, make).finally(release);
    else await pause(100);
  }
  return target;
}

/** Only what cannot be written to has a cause. */
function heldByAnother(error: Error): null {
  if (error.cause !== undefined) throw error;
  return null;
}

async function makeWhole(target: string, make: (building: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) return;
  const building = mkdtempSync(`${target}.`);
  try {
    await make(building);
    renameSync(building, target);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

/** The registry may refuse or break off a download: npm repeats requests, but not all that can go wrong. */
async function installIn(cwd: string): Promise<void> {
  const errors: string[] = [];
  for (const pauseMs of [0, 2000, 10_000]) {
    await pause(pauseMs);
    const failure = await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd }).then(
      () => null,
      (error: Error) => error.message,
    );
    if (failure === null) return;
    errors.push(failure);
  }
  throw new Error(`The packages of the browser cannot be installed:\n${errors.join('\n')}`);
}
