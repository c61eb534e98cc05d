import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { keyedMutex } from '../../processes/keyed-mutex.ts';
import { readState, writeState } from '../../processes/state-file.ts';
import type { AppFolder } from '../store/folders.ts';
import { dependencyPlan } from './dependency-key.ts';
import { copyTree, listTree, treeSchema } from './tree-copy.ts';

/** Where a release's dependencies come from. */
export type DependencySource = 'none' | 'installed' | 'copied' | 'spare';

/** Runs npm in a release; rejects when it fails. */
export type Install = (command: 'ci' | 'install') => Promise<void>;

/** A release without node_modules. */
export interface ReleaseToFill {
  readonly folder: AppFolder;
  /** Id of its snapshot. */
  readonly id: string;
  /** Ids of the application's built releases, latest first. */
  readonly earlier: readonly string[];
  readonly install: Install;
}

/** The installed dependencies of applications. */
export interface Dependencies {
  /** Makes the release's node_modules: from a spare copy or an earlier release with the same lockfile, else by `install`. */
  provide(release: ReleaseToFill): Promise<DependencySource>;
  /** Prepares a spare copy of this release's node_modules for the next release, and removes spares of other lockfiles. */
  prepareSpare(folder: AppFolder, id: string): Promise<void>;
}

const stamp = v.object({ key: v.string(), tree: treeSchema });
type Stamp = v.InferOutput<typeof stamp>;

/**
 * Releases with the same lockfile get the same node_modules, because `npm ci` is a function of the lockfile. Each release
 * has a copy of its own: with hard links or a common store an application that writes into its node_modules would write
 * into another release, and packages in a linked folder would not find the application. Only files that are still as npm
 * wrote them are copied. A copy of thousands of small files takes a second, so the one for the next release, the spare,
 * is made after the start of this one; providing it is then one rename.
 */
export function dependencies(): Dependencies {
  const withLock = keyedMutex();
  return {
    async provide(target) {
      const { folder, id, install } = target;
      const release = folder.snapshot(id).release;
      const plan = await dependencyPlan(release);
      if (plan.kind === 'none') return 'none';
      // npm would not replace node_modules that came in the tarball.
      await rm(join(release, 'node_modules'), { recursive: true, force: true, maxRetries: 3 });
      const { key } = plan;
      if (key === undefined) return install(plan.kind).then(() => 'installed');
      // Under the lock of the spares: waiting for one that is nearly done is faster than another copy.
      const reused = await withLock(folder.root, async () => {
        if (await takeSpare(folder, id, key)) return 'spare' as const;
        return (await copyEarlier(target, key)) ? ('copied' as const) : undefined;
      });
      if (reused) return reused;
      await install(plan.kind);
      const tree = await listTree(join(release, 'node_modules')).catch(() => undefined);
      if (tree) await writeStamp(folder, id, { key, tree });
      return 'installed';
    },
    prepareSpare: (folder, id) =>
      withLock(folder.root, async () => {
        const of = await readStamp(folder.snapshot(id).stamp);
        if (!of) return;
        const spare = spareOf(folder, of.key);
        if (await readStamp(spare.stamp)) return;
        await rm(folder.spares, { recursive: true, force: true, maxRetries: 3 });
        const tree = await copyTree(join(folder.snapshot(id).release, 'node_modules'), spare.modules, of.tree);
        // The stamp is written last: a copy without one is not used.
        if (tree) await writeState(spare.stamp, { key: of.key, tree });
      }),
  };
}

async function takeSpare(folder: AppFolder, id: string, key: string): Promise<boolean> {
  const spare = spareOf(folder, key);
  const found = await readStamp(spare.stamp);
  if (!found) return false;
  try {
    await rm(spare.stamp);
    await rename(spare.modules, join(folder.snapshot(id).release, 'node_modules'));
  } catch {
    return false;
  }
  await writeStamp(folder, id, found);
  return true;
}

async function copyEarlier({ folder, id, earlier }: ReleaseToFill, key: string): Promise<boolean> {
  const target = join(folder.snapshot(id).release, 'node_modules');
  for (const other of earlier) {
    const found = await readStamp(folder.snapshot(other).stamp);
    if (found?.key !== key) continue;
    const tree = await copyTree(join(folder.snapshot(other).release, 'node_modules'), target, found.tree);
    if (!tree) continue;
    await writeStamp(folder, id, { key, tree });
    return true;
  }
  return false;
}

function spareOf(folder: AppFolder, key: string) {
  return { modules: join(folder.spares, key), stamp: join(folder.spares, `${key}.json`) };
}

async function writeStamp(folder: AppFolder, id: string, value: Stamp): Promise<void> {
  await writeState(folder.snapshot(id).stamp, value);
}

/** Without a readable stamp npm installs. */
function readStamp(path: string): Promise<Stamp | undefined> {
  return readState(path, stamp).catch(() => undefined);
}
