import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Apps } from './apps.ts';
import type { AppFolder, Folders } from './folders.ts';

const unfinished = /\.(?:part|tmp)$/;

/**
 * Removes what a killed platform could not: parts of uploads and of state files, and tarballs and releases without a
 * state, which were never acknowledged or were being removed. Must be called before anything is uploaded or built.
 */
export async function removeLeftovers(folders: Folders, apps: Apps): Promise<void> {
  for (const folder of [folders.root, folders.users]) await removeFrom(folder, (name) => unfinished.test(name));
  for (const app of await apps.list()) await removeOfApp(folders.ofApp(app));
}

/** Removes caches whose content any user could have written. */
export async function removeSharedCaches({ sharedCaches }: Folders): Promise<void> {
  for (const folder of sharedCaches) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

async function removeOfApp(folder: AppFolder): Promise<void> {
  await removeFrom(folder.root, (name) => unfinished.test(name));
  const known = new Set((await namesIn(folder.snapshots)).filter((name) => name.endsWith('.json')));
  const hasState = (id: string) => known.has(`${id}.json`);
  await removeFrom(
    folder.snapshots,
    (name) => unfinished.test(name) || (name.endsWith('.tgz') && !hasState(name.slice(0, -'.tgz'.length))),
  );
  await removeFrom(join(folder.root, 'releases'), (id) => !hasState(id));
}

async function removeFrom(folder: string, isLeft: (name: string) => boolean): Promise<void> {
  for (const name of (await namesIn(folder)).filter(isLeft)) {
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
