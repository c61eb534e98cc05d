import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../http/http-error.ts';
import type { Log } from '../settings.ts';
import type { Apps } from './apps.ts';
import { type AppFolder, type Folders, namesIn } from './folders.ts';
import { forgetGone, type Snapshot, type Snapshots } from './snapshots.ts';
import type { VariableStore } from './variables.ts';

const unfinished = /\.(?:part|tmp)$/;

/**
 * Removes what a killed platform could not: parts of uploads and of state files, tarballs without a state, which were
 * never acknowledged or were being removed, and releases that are not built. Must be called before anything is uploaded
 * or built. Writes nothing: what it removes may have filled the disk.
 */
export async function removeLeftovers(folders: Folders, apps: Apps, snapshots: Snapshots): Promise<void> {
  await removeFrom(folders.root, (name) => unfinished.test(name));
  for (const app of await apps.list()) {
    await removeOfApp(folders.ofApp(app));
    await removeReleases(join(folders.ofApp(app).root, 'releases'), (id) => snapshots.find(app, id));
    // Its record was to be written first; this fails for one that has anything.
    await rmdir(folders.ofApp(app).root).catch(() => undefined);
  }
}

interface Records {
  readonly folders: Folders;
  readonly apps: Apps;
  readonly snapshots: Snapshots;
  readonly variables: VariableStore;
}

/**
 * Reads the records of all applications at the start. A damaged one concerns its application only: it is reported. Has
 * the snapshots built again whose releases are gone, as after a restore.
 */
export async function readRecords({ folders, apps, snapshots, variables }: Records, log: Log): Promise<void> {
  for (const app of await apps.list()) {
    const damaged = (error: unknown) => log({ type: 'platform.damaged', ...app, detail: messageOf(error) });
    await Promise.all([apps.find(app).catch(damaged), variables.read(app).catch(damaged)]);
    await forgetGone(snapshots, folders, { app, damaged });
  }
}

/** A release whose state cannot be read stays. */
async function removeReleases(folder: string, find: (id: string) => Promise<Snapshot | undefined>): Promise<void> {
  const isBuilt = async (id: string) => (await find(id))?.state === 'ready';
  for (const id of await namesIn(folder)) {
    if (!(await isBuilt(id).catch(() => true))) await removeFrom(folder, (name) => name === id);
  }
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
}

async function removeFrom(folder: string, isLeft: (name: string) => boolean): Promise<void> {
  for (const name of (await namesIn(folder)).filter(isLeft)) {
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}
