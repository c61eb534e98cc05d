import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { posix } from 'node:path';
import { ReadEntry, extract as unpack } from 'tar';
import { messageOf } from '../http-error.ts';

/** How much an archive may hold. */
export interface ArchiveLimits {
  readonly unpackedBytes: number;
  readonly entries: number;
}

const kinds = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory', 'SymbolicLink', 'Link', 'GNUDumpDir']);

/**
 * Unpacks a gzip tarball of one root folder into `target`, which is emptied first; the root folder is stripped. Throws an
 * Error with one sentence for a damaged archive and for one that holds an absolute path, `..`, a link that leads out, a
 * device, or more than the limits; what was unpacked until then is removed.
 */
export async function extract(tarball: string, target: string, limits: ArchiveLimits): Promise<void> {
  await rm(target, { recursive: true, force: true, maxRetries: 3 });
  await mkdir(target, { recursive: true });
  try {
    await unpackGuarded(tarball, target, archiveGuard(limits));
  } catch (error) {
    await rm(target, { recursive: true, force: true, maxRetries: 3 });
    throw new Error(`The tarball cannot be unpacked: ${messageOf(error)}.`, { cause: error });
  }
}

/** Returns why an entry is refused, or `undefined`. */
type Guard = (path: string, entry: ReadEntry) => string | undefined;

function unpackGuarded(tarball: string, target: string, guard: Guard): Promise<void> {
  return new Promise((resolve, reject) => {
    const source = createReadStream(tarball);
    const fail = (error: unknown) => {
      // Reading stops at once: a decompression bomb must not be unpacked to its end.
      source.destroy();
      reject(error);
    };
    let refused = false;
    const filter = (path: string, entry: object) => {
      const objection = entry instanceof ReadEntry && !refused ? guard(path, entry) : undefined;
      if (objection) {
        refused = true;
        fail(new Error(objection));
      }
      return !refused;
    };
    // Owners and times are those of the host that packed the archive.
    const writer = unpack({ cwd: target, strip: 1, strict: true, preserveOwner: false, noMtime: true, filter });
    writer.on('error', fail).on('close', () => resolve());
    source.on('error', fail).pipe(writer);
  });
}

function archiveGuard(limits: ArchiveLimits): Guard {
  let entries = 0;
  let bytes = 0;
  return (path, entry) => {
    entries += 1;
    bytes += entry.size;
    if (entries > limits.entries) return `it holds more than ${limits.entries} entries`;
    if (bytes > limits.unpackedBytes) return `it unpacks to more than ${limits.unpackedBytes} bytes`;
    if (!kinds.has(entry.type)) return `${shown(path)} is neither a file, a folder nor a link`;
    if (leavesRoot(path)) return `${shown(path)} leads out of its folder`;
    return linkObjection(path, entry);
  };
}

function linkObjection(path: string, entry: ReadEntry): string | undefined {
  const link = entry.linkpath;
  if (link === undefined || (entry.type !== 'SymbolicLink' && entry.type !== 'Link')) return undefined;
  // A symbolic link is relative to its own folder, a hard link to the archive's root; both must stay in the root folder.
  const target = entry.type === 'Link' ? link : posix.join(posix.dirname(path), link);
  const root = path.split('/')[0];
  const inside =
    !leavesRoot(link.startsWith('/') ? link : posix.normalize(target)) &&
    posix.normalize(target).split('/')[0] === root;
  return inside ? undefined : `the link ${shown(path)} leads out of its folder`;
}

function leavesRoot(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 120));
}
