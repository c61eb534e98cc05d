import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../../functions/core/apps/settings.ts';
import { TARBALL_LIMITS } from '../../../functions/core/tarball/limits.ts';
import type { CronEntry } from '../start/cron.ts';
import { unpack } from '../unpack.ts';
import { withoutBuild } from '../without-build.ts';
import { addStartProgram, archive } from './lambda-release.ts';

const MB = 1024 * 1024;
/** A function has 512 MB of disk, for the tarball, its files and the release at a time. */
export const PACKED_LIMITS = { ...TARBALL_LIMITS, bytes: 32 * MB, unpackedBytes: 128 * MB, entries: 20_000 };

interface Packing {
  readonly tarball: string;
  /** An empty folder. */
  readonly work: string;
  /** The folder of the application in its tarball. */
  readonly path: string;
  readonly settings: Settings;
  readonly hasVariables: boolean;
}

interface Packed {
  readonly archive: string;
  readonly found: Settings;
  readonly cron: readonly CronEntry[];
  readonly notes: readonly string[];
}

/**
 * Makes the release of a tarball with nothing to install and nothing to build, as its build would. Returns undefined for
 * one that has to be built: also for one that is too large or cannot be unpacked, of which the build says so. Throws an
 * Error with one sentence when the application cannot be started.
 */
export async function packRelease({ tarball, work, ...app }: Packing): Promise<Packed | undefined> {
  const release = join(work, 'release');
  const root = join(release, 'app');
  await mkdir(root, { recursive: true });
  const isUnpacked = await unpack(tarball, root, PACKED_LIMITS).then(
    () => true,
    () => false,
  );
  const made = isUnpacked ? await withoutBuild({ root, ...app }) : undefined;
  if (!made) return undefined;
  await addStartProgram(release, app);
  const archived = join(work, 'release.zip');
  await archive(release, archived);
  return { archive: archived, ...made };
}
