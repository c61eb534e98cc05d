import { cp, readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Settings } from '../../functions/core/apps/settings.ts';
import type { Project } from './project.ts';
import { cronIn } from './start/cron.ts';
import { exists } from './start/frameworks.ts';
import { procfileIn, readStartManifest, startCommand } from './start/start-command.ts';

/**
 * Copies what the server of Next's `output: 'standalone'` serves into its folder, where a build leaves it to the author;
 * files that are there stay. https://nextjs.org/docs/app/api-reference/config/next-config-js/output
 */
export async function completeStandalone({ root, folder, installAt }: Project): Promise<void> {
  for (const name of await readdir(folder)) {
    const built = join(folder, name);
    // The folder of builds, `.next` unless the configuration names another one.
    if (!(await exists(join(built, 'BUILD_ID')))) continue;
    const places = [...new Set([root, installAt, folder])].map((from) =>
      join(built, 'standalone', relative(from, folder)),
    );
    for (const place of places) {
      if (!(await exists(join(place, 'server.js')))) continue;
      await addFolder(join(built, 'static'), join(place, name, 'static'));
      await addFolder(join(folder, 'public'), join(place, 'public'));
    }
  }
}

async function addFolder(from: string, to: string): Promise<void> {
  if (await exists(from)) await cp(from, to, { recursive: true, force: false });
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
export async function removeModules({ folder, installAt }: Project): Promise<void> {
  for (const at of [folder, installAt]) {
    // The second one is that of Yarn's Plug'n'Play.
    for (const name of ['node_modules', '.yarn/cache']) {
      await rm(join(at, name), { recursive: true, force: true, maxRetries: 3 });
    }
  }
}
