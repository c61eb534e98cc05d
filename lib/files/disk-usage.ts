import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';

/** Paths in one call of the command: systems limit its arguments. */
const MOST_PATHS = 500;

/**
 * Returns the bytes that files and folders take on the disk; those that do not exist are left out. It is measured by `du`:
 * a cache has a hundred thousand files, and other requests go on meanwhile.
 */
export async function diskUsage(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const bytesOf = new Map<string, number>();
  const existing = paths.filter((path) => existsSync(path));
  // `du` prints a line for each path, and a build may have put a line feed into a name.
  const isOneLine = (path: string) => !path.includes('\n');
  for (const path of existing.filter((one) => !isOneLine(one))) {
    bytesOf.set(path, Number.parseInt(await du([path]), 10) * 1024 || 0);
  }
  const others = existing.filter(isOneLine);
  for (let at = 0; at < others.length; at += MOST_PATHS) {
    for (const line of (await du(others.slice(at, at + MOST_PATHS))).split('\n')) {
      const [, kilobytes, path] = /^(\d+)\t(.+)$/.exec(line) ?? [];
      if (path !== undefined) bytesOf.set(path, Number(kilobytes) * 1024);
    }
  }
  return bytesOf;
}

/** Returns how many bytes the disk of a folder has, and how many of them are free for this user. */
export async function diskSpace(folder: string): Promise<{ readonly total: number; readonly free: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { total: blocks * bsize, free: bavail * bsize };
}

const LOW_PART = 0.05;
const LOW_BYTES = 2 * 1024 ** 3;

/** Returns the free bytes below which a disk of that many bytes is nearly full; it has room again above twice as many. */
export function lowBytes(total: number): number {
  return Math.min(total * LOW_PART, LOW_BYTES);
}

/** Its exit code also says that a file has vanished meanwhile. */
function du(paths: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile('du', ['-sk', ...paths], { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => resolve(stdout));
  });
}
