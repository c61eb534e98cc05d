import { join } from 'node:path';
import { removeTree } from '../../files/tree.ts';
import type { Log } from '../settings.ts';
import { type AppFolder, namesIn } from './folders.ts';
import { forgetGone, type Snapshot } from './snapshots.ts';
import type { Stored } from './stored.ts';

const unfinished = /\.(?:part|tmp)$/;

/**
 * Removes what a killed platform could not: parts of uploads, tarballs without a row, which were never acknowledged or were
 * being removed, and releases that are not built. Must be called before anything is uploaded or built. Writes nothing:
 * what it removes may have filled the disk.
 */
export async function removeLeftovers({ folders, apps, snapshots }: Stored): Promise<void> {
  await removeFrom(folders.root, (name) => unfinished.test(name));
  for (const app of await apps.list()) await removeOfApp(folders.ofApp(app), await snapshots.list(app));
}

/** Marks snapshots without a release to be built again, and logs which have lost their tarballs too. */
export async function checkFiles({ folders, apps, snapshots }: Stored, log: Log): Promise<void> {
  for (const app of await apps.list()) {
    for (const { id } of await forgetGone(snapshots, folders, app)) {
      const detail = `The files of the snapshot ${id} of ${app.user}/${app.app} are gone: deploy it again.`;
      log({ type: 'platform.damaged', ...app, detail });
    }
  }
}

async function removeOfApp(folder: AppFolder, known: readonly Snapshot[]): Promise<void> {
  const [stored, built] = [known, known.filter(({ state }) => state === 'ready')].map(
    (list) => new Set(list.map(({ id }) => id)),
  );
  await removeFrom(folder.root, (name) => unfinished.test(name));
  await removeFrom(
    folder.snapshots,
    (name) => unfinished.test(name) || (name.endsWith('.tgz') && !stored?.has(name.slice(0, -'.tgz'.length))),
  );
  for (const name of ['releases', 'homes']) await removeFrom(join(folder.root, name), (id) => !built?.has(id));
}

async function removeFrom(folder: string, isLeft: (name: string) => boolean): Promise<void> {
  for (const name of (await namesIn(folder)).filter(isLeft)) {
    await removeTree(join(folder, name));
  }
}
