import {
  closeSync,
  createReadStream,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { sep } from 'node:path';
import { DeployError } from '../../functions/core/errors.ts';
import { Contents } from '../../functions/core/tarball/contents.ts';
import { Inflater } from '../../functions/core/tarball/inflate.ts';
import type { TarballLimits } from '../../functions/core/tarball/limits.ts';
import type { EntryReceiver, TarEntry } from '../../functions/core/tarball/walker.ts';
import { hasCode } from '../files/errors.ts';

/**
 * Unpacks a gzip tarball into `target`, an empty folder, without its root folder. It is read as the service reads it
 * before it passes it on, so that both see the same files. Throws an Error with one sentence, and leaves what was
 * unpacked until then.
 */
export async function unpack(tarball: string, target: string, limits: TarballLimits): Promise<void> {
  const writer = new TreeWriter(target);
  const contents = new Contents(limits, writer);
  const inflater = new Inflater((bytes, used) => contents.push(bytes, used));
  try {
    for await (const chunk of createReadStream(tarball, { highWaterMark: 256 * 1024 })) await inflater.write(chunk);
    await inflater.end();
    contents.end();
    writer.finish();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(cause instanceof DeployError ? cause.detail : `The tarball cannot be unpacked: ${why}.`, { cause });
  } finally {
    inflater.destroy();
    writer.close();
  }
}

/**
 * Writes the entries of a checked archive below a folder, each without the archive's root folder. Files get the mode
 * 0644 or 0755: owners, times and setuid bits of the packing host are dropped. Symbolic links are made after everything
 * else, so that nothing can be written through one. Calls that block, because nothing else runs in this process: they take
 * half the time.
 */
class TreeWriter implements EntryReceiver {
  readonly #target: string;
  readonly #links: { readonly place: string; readonly target: string }[] = [];
  /** The folder of the previous entry, which exists; usually it is that of the next entry too. */
  #lastFolder = '';
  #file: number | undefined;

  constructor(target: string) {
    this.#target = target;
  }

  entry(entry: TarEntry): void {
    this.close();
    const place = this.#placeOf(entry.path);
    if (entry.kind === 'folder') this.#makeFolder(place);
    else this.#make(place, entry);
  }

  body(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file ?? -1, bytes, at);
  }

  /** Must be called after the last entry. Makes the symbolic links, and throws when one leads out of the folder. */
  finish(): void {
    this.close();
    for (const { place, target } of this.#links) symlinkSync(target, place);
    const root = realpathSync(this.#target);
    for (const { place } of this.#links) {
      if (leadsOut(place, root)) throw new Error(`the link ${JSON.stringify(place)} leads out of its folder`);
    }
  }

  /** Closes the file of the last entry; a second call does nothing. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #make(place: string, entry: TarEntry): void {
    this.#makeFolder(place.slice(0, place.lastIndexOf('/')));
    if (entry.kind === 'symlink') this.#links.push({ place, target: entry.target });
    else if (entry.kind === 'hardlink') linkSync(this.#placeOf(entry.target), place);
    else this.#open(place, entry);
  }

  #open(place: string, { executable, size }: TarEntry): void {
    // Exclusive: on a file system that does not tell A from a, one file must not replace another.
    this.#file = openSync(place, 'wx', executable ? 0o755 : 0o644);
    if (size === 0) this.close();
  }

  #makeFolder(folder: string): void {
    if (folder === this.#lastFolder) return;
    mkdirSync(folder, { recursive: true });
    this.#lastFolder = folder;
  }

  #placeOf(path: string): string {
    const slash = path.indexOf('/');
    return slash === -1 ? this.#target : `${this.#target}/${path.slice(slash + 1)}`;
  }
}

/** The archive's own links were followed when it was checked; this re-checks on disk. */
function leadsOut(link: string, root: string): boolean {
  try {
    const end = realpathSync(link);
    return end !== root && !end.startsWith(root + sep);
  } catch (error) {
    // A link to nothing, or in a circle.
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ELOOP') || hasCode(error, 'ENOTDIR')) return false;
    throw error;
  }
}
