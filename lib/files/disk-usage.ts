import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Of arguments in one call, which systems limit. */
const MOST_PATHS = 500;

/**
 * Returns the bytes that files and folders take on the disk; those that do not exist are left out. It is measured by `du`:
 * a cache has a hundred thousand files, and other requests go on meanwhile.
 */
export async function diskUsage(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const existing = paths.filter((path) => existsSync(path));
  for (let at = 0; at < existing.length; at += MOST_PATHS) {
    for (const line of (await du(existing.slice(at, at + MOST_PATHS))).split('\n')) {
      const [, kilobytes, path] = /^(\d+)\s+(.+)$/.exec(line) ?? [];
      if (path !== undefined) found.set(path, Number(kilobytes) * 1024);
    }
  }
  return found;
}

/** Its exit code also says that a file has vanished meanwhile. */
function du(paths: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile('du', ['-sk', ...paths], { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => resolve(stdout));
  });
}
