import { rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import * as v from 'valibot';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import type { DependencySource, Installation } from '../../builder/build-step.ts';
import { readState, writeState } from '../../files/state-file.ts';
import type { AppFolder } from '../store/folders.ts';
import { copyTree, listTree, treeSchema } from './tree-copy.ts';

/** A release without node_modules. */
interface ReleaseToFill extends Installation {
  readonly folder: AppFolder;
  /** Id of its snapshot. */
  readonly id: string;
  /** Ids of the application's built releases, latest first. */
  readonly earlier: readonly string[];
  /** Nothing is reused: not by this release, nor later what was there before it. */
  readonly isClean: boolean;
}

export interface Dependencies {
  /**
   * Makes the release's node_modules: from a kept copy or an earlier release with the same lockfile, else by `install`.
   */
  provide(release: ReleaseToFill): Promise<DependencySource>;
  /**
   * Prepares a spare copy of this release's node_modules for the next release, and removes spares of other lockfiles.
   */
  prepareSpare(folder: AppFolder, id: string): Promise<void>;
}

const stamp = v.object({ key: v.string(), tree: treeSchema, modules: v.string() });
type Stamp = v.InferOutput<typeof stamp>;

/**
 * Releases with the same lockfile get the same node_modules, because without install scripts `npm ci` is a function of it. Each
 * release has a copy: with hard links or a common store an application that writes into its node_modules
 * would write into another release, and packages in a linked folder would not find the application. Only files that are
 * still as npm wrote them are copied. A copy of thousands of small files takes a second, so the one for the next
 * release, the spare, is made after the start of this one; providing it is then one rename.
 */
export function dependencies(): Dependencies {
  const withLock = keyedMutex();
  return {
    async provide(target) {
      const { folder, at, plan, install, isClean } = target;
      if (isClean)
        await withLock(folder.root, () => rm(folder.spares, { recursive: true, force: true, maxRetries: 3 }));
      if (plan.key === undefined) return install().then(() => 'installed');
      const { key } = plan;
      // Under the lock of the spares: waiting for one that is nearly done is faster than another copy.
      const reuses = () => (plan.dev ? copyKept(target, key) : reuse(target, key));
      const reused = isClean ? undefined : await withLock(folder.root, reuses);
      if (reused) return reused;
      await install();
      const modules = join(at, 'node_modules');
      const tree = await listTree(modules).catch(() => undefined);
      if (!tree || (await hasOtherScripts(modules, tree))) return 'installed';
      if (plan.dev) await withLock(folder.root, () => keepCopy(target, { key, tree }));
      else await writeStamp(target, { key, tree });
      return 'installed';
    },
    prepareSpare: (folder, id) =>
      withLock(folder.root, async () => {
        const of = await readStamp(folder.snapshot(id).stamp);
        if (!of) return;
        const spare = spareOf(folder, of.key);
        if (await readStamp(spare.stamp)) return;
        await rm(folder.spares, { recursive: true, force: true, maxRetries: 3 });
        const tree = await copyTree(of.modules, spare.modules, of.tree, folder.root);
        // The stamp is written last: a copy without one is not used.
        if (tree) await writeState(spare.stamp, { key: of.key, tree, modules: spare.modules });
      }),
  };
}

/** Packages whose install scripts fetch or compile for the machine, and read nothing of the application. */
const OF_THE_MACHINE = new Set([
  ...['@parcel/watcher', '@swc/core', 'argon2', 'bcrypt', 'better-sqlite3', 'bufferutil', 'canvas', 'core-js'],
  ...['core-js-pure', 'cpu-features', 'esbuild', 'lmdb', 'msgpackr-extract', 'node-pty', 'protobufjs', 're2', 'sharp'],
  ...['sqlite3', 'ssh2', 'unrs-resolver', 'utf-8-validate', 'workerd'],
]);
const PACKAGE = /(?:^|\/node_modules\/)((?:@[^/]+\/)?[^/]+)\/package\.json$/;

const installScripts = v.object({
  scripts: v.union(
    (['preinstall', 'install', 'postinstall'] as const).map((name) => v.looseObject({ [name]: v.string() })),
  ),
});

/**
 * Whether a package was installed by a script of its own that may have read the repository or the variables, as that of
 * `@prisma/client` reads the schema: the lockfile alone does not say what it has made.
 */
async function hasOtherScripts(modules: string, { files }: Stamp['tree']): Promise<boolean> {
  for (const [path] of files) {
    const name = PACKAGE.exec(path.replaceAll(sep, '/'))?.[1];
    if (name === undefined || OF_THE_MACHINE.has(name)) continue;
    const manifest = await readState(join(modules, path), installScripts).catch(() => undefined);
    if (manifest) return true;
  }
  return false;
}

async function reuse(target: ReleaseToFill, key: string): Promise<DependencySource | undefined> {
  if (await takeSpare(target, key)) return 'spare';
  return (await copyEarlier(target, key)) ? 'copied' : undefined;
}

async function takeSpare(target: ReleaseToFill, key: string): Promise<boolean> {
  const spare = spareOf(target.folder, key);
  const stamp = await readStamp(spare.stamp);
  if (!stamp) return false;
  try {
    await rm(spare.stamp);
    await rename(spare.modules, join(target.at, 'node_modules'));
  } catch {
    return false;
  }
  await writeStamp(target, stamp);
  return true;
}

async function copyEarlier(target: ReleaseToFill, key: string): Promise<boolean> {
  for (const other of target.earlier) {
    const stamp = await readStamp(target.folder.snapshot(other).stamp);
    if (stamp?.key !== key) continue;
    const tree = await copyTree(stamp.modules, join(target.at, 'node_modules'), stamp.tree, target.folder.root);
    if (!tree) continue;
    await writeStamp(target, { key, tree });
    return true;
  }
  return false;
}

/**
 * A release with development dependencies is pruned after its build, so the copy for the next build is made before.
 */
async function keepCopy({ folder, at }: ReleaseToFill, { key, tree }: Omit<Stamp, 'modules'>): Promise<void> {
  const kept = spareOf(folder, key);
  await rm(folder.spares, { recursive: true, force: true, maxRetries: 3 });
  const copy = await copyTree(join(at, 'node_modules'), kept.modules, tree, folder.root);
  if (copy) await writeState(kept.stamp, { key, tree: copy, modules: kept.modules });
}

/** The kept copy stays: what was installed for the build is pruned from the release after it. */
async function copyKept({ folder, at }: ReleaseToFill, key: string): Promise<DependencySource | undefined> {
  const kept = await readStamp(spareOf(folder, key).stamp);
  if (!kept) return undefined;
  return (await copyTree(kept.modules, join(at, 'node_modules'), kept.tree, folder.root)) ? 'copied' : undefined;
}

function spareOf(folder: AppFolder, key: string) {
  return { modules: join(folder.spares, key), stamp: join(folder.spares, `${key}.json`) };
}

async function writeStamp({ folder, id, at }: ReleaseToFill, { key, tree }: Omit<Stamp, 'modules'>): Promise<void> {
  await writeState(folder.snapshot(id).stamp, { key, tree, modules: join(at, 'node_modules') });
}

/** Without a readable stamp npm installs. */
function readStamp(path: string): Promise<Stamp | undefined> {
  return readState(path, stamp).catch(() => undefined);
}
