import { lstat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Settings } from '../../functions/core/apps/settings.ts';
import { addTree, removeTree } from '../files/tree.ts';
import { entriesInside, isInside } from './inside.ts';
import type { Project } from './project.ts';
import { cronIn } from './start/cron.ts';
import { exists } from './start/frameworks.ts';
import { procfileIn, readStartManifest, startCommand } from './start/start-command.ts';

/**
 * Copies what the server of Next's `output: 'standalone'` serves into its folder, where a build leaves it to the author;
 * files that are there stay. https://nextjs.org/docs/app/api-reference/config/next-config-js/output
 */
export async function completeStandalone({ root, folder, installAt }: Project): Promise<void> {
  for (const { name } of await entriesInside(folder)) {
    const built = join(folder, name);
    // The folder of builds, `.next` unless the configuration names another one.
    if (!(await exists(join(built, 'BUILD_ID')))) continue;
    const places = [...new Set([root, installAt, folder])].map((from) =>
      join(built, 'standalone', relative(from, folder)),
    );
    for (const place of places) {
      if (!(await exists(join(place, 'server.js')))) continue;
      await addFolder(root, join(built, 'static'), join(place, name, 'static'));
      await addFolder(root, join(folder, 'public'), join(place, 'public'));
    }
  }
}

/** A build may have put links out of the release on the way to either. */
async function addFolder(root: string, from: string, to: string): Promise<void> {
  const isOwn = (path: string) => isInside(root, path).catch(() => false);
  if ((await isOwn(from)) && (await isOwn(await nearest(to)))) await addTree(from, to);
}

/** Returns the path, or the folder above it that is there. */
async function nearest(path: string): Promise<string> {
  return (await lstat(path).catch(() => null)) ? path : nearest(dirname(path));
}

/** Whether files are served and nothing is run, so that a release does not need the modules that it was built with. */
export async function servesFilesOnly(folder: string, settings: Settings): Promise<boolean> {
  const [procfile, cron] = await Promise.all([procfileIn(folder), cronIn(folder)]);
  if (Object.keys(procfile).length + cron.length > 0) return false;
  // The start reports that there is nothing to start.
  const manifest = await readStartManifest(folder);
  const { site } = (await startCommand(folder, manifest, settings).catch(() => undefined)) ?? {};
  // Pages in the root may use files of packages.
  return site !== undefined && site !== '.';
}

/** Removes what a package manager has installed. */
export async function removeModules({ root, folder, installAt }: Project): Promise<void> {
  for (const at of [folder, installAt]) {
    if (await isInside(root, at).catch(() => false)) await removeTree(join(at, 'node_modules'));
  }
}
