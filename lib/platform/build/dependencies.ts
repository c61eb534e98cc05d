import { lstat, mkdir, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import type { DependencySource, Installation } from '../../builder/build-step.ts';
import { copyTree, foundBelow, removeTree } from '../../files/tree.ts';
import type { AppFolder } from '../store/folders.ts';

/** A release without node_modules. */
interface ReleaseToFill extends Installation {
  readonly folder: AppFolder;
  /** Nothing is reused: not by this release, nor later what was there before it. */
  readonly isClean: boolean;
}

/** Makes the node_modules of a release: a copy of those that were installed last with the same lockfile, else by `install`. */
export type Dependencies = (release: ReleaseToFill) => Promise<DependencySource>;

/**
 * Releases with the same lockfile get the same node_modules, because without install scripts `npm ci` is a function of it. They are
 * copied right after the installation, before anything of the application runs. Each release has a copy: with hard links or a
 * common store an application that writes into its node_modules would write into another release, and packages in a linked
 * folder would not find the application.
 */
export function dependencies(): Dependencies {
  const withLock = keyedMutex();
  return async ({ folder, at, plan, install, isClean }) => {
    const modules = join(at, 'node_modules');
    if (isClean) await withLock(folder.root, () => removeTree(folder.spares));
    if (plan.key === undefined) return install().then(() => 'installed');
    const kept = join(folder.spares, `${plan.key}.modules`);
    if (await withLock(folder.root, () => copyWhole(kept, modules))) return 'copied';
    await install();
    await withLock(folder.root, async () => {
      await removeTree(folder.spares);
      if (await hasOtherScripts(modules)) return;
      await mkdir(folder.spares, { recursive: true });
      await copyWhole(modules, kept);
    });
    return 'installed';
  };
}

/** Copies a folder, or nothing of it. Returns whether it did. */
async function copyWhole(from: string, to: string): Promise<boolean> {
  const part = `${to}.part`;
  try {
    // A build can put a link in its place, or a file.
    if (!(await lstat(from)).isDirectory()) return false;
    await removeTree(part);
    await copyTree(from, part);
    await rename(part, to);
    return true;
  } catch {
    // The disk may be full: packages are installed then.
    await removeTree(part).catch(() => undefined);
    return false;
  }
}

/** Packages whose install scripts fetch or compile for the machine, and read nothing of the application. */
const OF_THE_MACHINE = new Set([
  ...['@parcel/watcher', '@swc/core', 'argon2', 'bcrypt', 'better-sqlite3', 'bufferutil', 'canvas', 'core-js'],
  ...['core-js-pure', 'cpu-features', 'esbuild', 'lmdb', 'msgpackr-extract', 'node-pty', 'protobufjs', 're2', 'sharp'],
  ...['sqlite3', 'ssh2', 'unrs-resolver', 'utf-8-validate', 'workerd'],
]);
const PACKAGE = /(?:^|\/node_modules\/)((?:@[^/]+\/)?[^/]+)\/package\.json$/;
const MANIFESTS = ['-type', 'f', '-name', 'package.json'];
const WITH_SCRIPT = '"(preinstall|install|postinstall)" *: *"';
const SEARCH = { timeout: 60_000, maxBuffer: 1024 * 1024 };

/**
 * Whether a package may have been installed by a script of its own that has read the repository or the variables, as that of
 * `@prisma/client` reads the schema: the lockfile alone does not say what it has made.
 */
async function hasOtherScripts(modules: string): Promise<boolean> {
  // That none was found is no failure of the search.
  const grep = ['-exec', 'sh', '-c', 'grep -lE "$0" -- "$@"; test $? -le 1', WITH_SCRIPT, '{}', '+'];
  const found = await foundBelow(modules, [...MANIFESTS, ...grep], SEARCH).catch(() => undefined);
  if (found === undefined) return true;
  const names = found.split('\n').map((path) => PACKAGE.exec(relative(modules, path))?.[1]);
  return names.some((name) => name !== undefined && !OF_THE_MACHINE.has(name));
}
