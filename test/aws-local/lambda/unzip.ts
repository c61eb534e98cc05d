import { createWriteStream } from 'node:fs';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise } from 'yauzl';

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const MAX_UNZIPPED_BYTES = 262_144_000;

const FILE_TYPE = 0o170000;
const LINK = 0o120000;
const PERMISSIONS = 0o777;

/** An archive that Lambda refuses; the message is Lambda's. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/**
 * Unpacks a zip file into a folder that does not exist, with modes and links.
 *
 * @throws ArchiveError for what is not a zip file, and for more than 250 MB
 */
export async function unzip(file: string, folder: string): Promise<void> {
  const archive = await openPromise(file).catch(() => {
    throw new ArchiveError('Could not unzip uploaded file. Please check your file, then try to upload again.');
  });
  // Made last: a link must not lead a later entry out of the folder.
  const links: { readonly path: string; readonly target: string }[] = [];
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    let total = 0;
    for await (const entry of archive.eachEntry()) {
      total += entry.uncompressedSize;
      if (total > MAX_UNZIPPED_BYTES) {
        throw new ArchiveError(`Unzipped size must be smaller than ${MAX_UNZIPPED_BYTES} bytes`);
      }
      // The name was checked by the reader: relative, and without `..`.
      const path = join(folder, entry.fileName);
      const open = () => archive.openReadStreamPromise(entry);
      if (isLink(entry)) links.push({ path, target: await text(await open()) });
      else await unpack(entry, path, open);
    }
    for (const { path, target } of links) {
      await mkdir(dirname(path), { recursive: true });
      await symlink(target, path);
    }
  } finally {
    archive.close();
  }
}

function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & FILE_TYPE) === LINK;
}

async function unpack(entry: Entry, path: string, open: () => Promise<Readable>): Promise<void> {
  const mode = (entry.externalFileAttributes >>> 16) & PERMISSIONS;
  if (entry.fileName.endsWith('/')) return void (await mkdir(path, { recursive: true }));
  await mkdir(dirname(path), { recursive: true });
  await pipeline(await open(), createWriteStream(path, mode === 0 ? {} : { mode }));
  if (mode !== 0) await chmod(path, mode);
}
