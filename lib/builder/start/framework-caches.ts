import { access, mkdir, rename } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { removeTree } from '../../files/tree.ts';
import { isInside } from '../inside.ts';

/** The caches of build tools, relative to the application's folder. */
const CACHES = ['.next/cache', 'node_modules/.cache', 'node_modules/.vite'];

/**
 * Returns the caches of the application in `folder`, which move between `store` and the release that is being built. A move is
 * a rename, so it takes no time.
 */
export function frameworkCaches(store: string, { root, folder }: { readonly root: string; readonly folder: string }) {
  const places = CACHES.map((name) => ({ kept: join(store, name.replaceAll('/', '_')), used: join(folder, name) }));
  return {
    /** Moves the kept caches into the release. */
    restore: async () => {
      for (const { kept, used } of places) await move({ from: kept, to: used, root });
    },
    /** Moves the caches out of the release, for the next build; a release that serves does not need them. */
    keep: async () => {
      for (const { kept, used } of places) await move({ from: used, to: kept, root });
    },
  };
}

/** Without a cache a build is slower and no more, so nothing here fails it. */
async function move({ from, to, root }: { from: string; to: string; root: string }): Promise<void> {
  const aside = `${to}.old`;
  try {
    // Without one there is no folder to make for it.
    await access(from);
    await mkdir(dirname(to), { recursive: true });
    // A build can replace the folder by a link to that of another application.
    for (const one of [from, to].filter((path) => path.startsWith(root + sep))) {
      if (!(await isInside(root, dirname(one)))) return;
    }
    await removeTree(aside);
    // A cache folder that came in the tarball is replaced.
    await rename(to, aside).catch(() => undefined);
    await rename(from, to).catch(() => rename(aside, to));
    await removeTree(aside);
  } catch {
    // There is no cache to move.
  }
}
