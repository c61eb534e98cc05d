import { closeSync, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { hasCode } from '../../files/errors.ts';
import { openInPlace, pathOf, UNFOLLOWED } from '../../files/opened.ts';
import { isOfApplication, placesOf, reasonOf, shown, staysInside } from './paths.ts';
import { END, header, padding } from './tar.ts';

/** Files, links and folders with their paths below a folder. */
interface Packed {
  readonly folder: string;
  readonly paths: readonly string[];
}

/** So many bytes are read and compressed at a time. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Returns a tar archive. What an application may replace meanwhile is opened below a descriptor of the folder in which it was
 * listed. What has been removed or replaced since is left out; what cannot be read gets a sentence in `unread`.
 */
export function* packed(all: readonly Packed[], unread: string[]): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for (const block of blocks(all, unread)) {
    waiting.push(block);
    bytes += block.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  yield Buffer.concat([...waiting, END]);
}

function* blocks(all: readonly Packed[], unread: string[]): Generator<Buffer> {
  for (const { folder, paths } of all) {
    const from = reader(folder);
    try {
      for (const path of paths) {
        try {
          yield* entry(from.placeOf(path), path, unread);
        } catch (error) {
          if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].some((code) => hasCode(error, code)))
            unread.push(`${shown(path)}: ${reasonOf(error)}`);
        }
      }
    } finally {
      from.close();
    }
  }
}

/** Returns from where paths are read. The folder of an application in which the last one lies is kept open. */
function reader(root: string) {
  const placeOf = placesOf(root);
  let held: { readonly folder: Buffer; readonly descriptor: number } | undefined;
  const close = () => {
    if (held) closeSync(held.descriptor);
    held = undefined;
  };
  return {
    close,
    placeOf(path: string): Buffer {
      const place = placeOf(path);
      if (!isOfApplication(path)) return place;
      const end = place.lastIndexOf('/');
      const folder = place.subarray(0, end);
      if (!held?.folder.equals(folder)) {
        close();
        held = { folder, descriptor: openInPlace(folder) };
      }
      return Buffer.concat([Buffer.from(pathOf(held.descriptor, folder)), place.subarray(end)]);
    },
  };
}

function* entry(place: Buffer, path: string, unread: string[]): Generator<Buffer> {
  const stats = lstatSync(place);
  const { mode, mtimeMs } = stats;
  if (stats.isDirectory()) yield header({ name: `${path}/`, type: 'folder', mode, mtimeMs });
  else if (stats.isFile()) yield* file(place, path, unread);
  else if (stats.isSymbolicLink()) {
    const target = readlinkSync(place, 'latin1');
    if (staysInside(path, target)) yield header({ name: path, type: 'link', target, mode, mtimeMs });
  }
}

function* file(place: Buffer, path: string, unread: string[]): Generator<Buffer> {
  const descriptor = openSync(place, UNFOLLOWED);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return;
    yield header({ name: path, type: 'file', size: stats.size, mode: stats.mode, mtimeMs: stats.mtimeMs });
    let isWhole = true;
    for (let left = stats.size; left > 0; ) {
      const buffer = Buffer.alloc(Math.min(left, CHUNK_BYTES));
      const bytes: number = isWhole ? readInto(buffer, descriptor) : 0;
      isWhole &&= bytes > 0;
      const part = isWhole ? buffer.subarray(0, bytes) : buffer;
      left -= part.length;
      yield part;
    }
    if (!isWhole) unread.push(`${shown(path)}: it cannot be read to its end`);
    yield padding(stats.size);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns how many bytes were read: none after the end, nor of a part that the disk has lost. */
function readInto(buffer: Buffer, descriptor: number): number {
  try {
    return readSync(descriptor, buffer);
  } catch {
    return 0;
  }
}
