import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MISSING, unless } from '../../files/errors.ts';
import { killOrphans } from '../../process/group-registry.ts';

const FILE = /^runner-groups(?:-\d+)?\.json$/;

/** The file in which a runner lists the process groups that run; one that succeeds another one has its own. */
export function groupsFile(folder: string, pid?: number): string {
  return join(folder, `runner-groups${pid === undefined ? '' : `-${pid}`}.json`);
}

/** Returns the files of all runners of a folder. */
export async function groupsFiles(folder: string): Promise<readonly string[]> {
  const names = (await unless(MISSING, readdir(folder))) ?? [];
  return names.filter((name) => FILE.test(name)).map((name) => join(folder, name));
}

/** Ends what other runners of a folder have left behind that do not run any more. */
export async function endLeftGroups(folder: string, own?: string): Promise<void> {
  const files = await groupsFiles(folder);
  for (const file of files.filter((one) => one !== own)) {
    await killOrphans(file)
      .then(() => rm(file, { force: true }))
      .catch(() => undefined);
  }
}
