import { TARBALL_LIMITS, type TarballLimits } from './limits.ts';
import { SymbolicLinks } from './links.ts';
import { quoted, refusal } from './refuse.ts';
import { safePath } from './safe-path.ts';
import type { TarEntry } from './walker.ts';

/** What is at a path. A hard link is one more name of its file. */
type Node = 'file' | 'symlink' | 'folder';

/**
 * The tree that an archive would unpack to. Each entry is checked as it comes: one root folder, no path that leaves it,
 * nothing below a link, no name twice. Memory grows with the paths, whose number is limited, and not with the files.
 */
export class TarTree {
  readonly #bounds: TarballLimits;
  readonly #links: SymbolicLinks;
  readonly #nodes = new Map<string, Node>();
  #root: string | null = null;
  #entries = 0;
  /** The folder of the entry before: it is known, and mostly the next one's too. */
  #lastFolder = '';

  constructor(bounds: TarballLimits = TARBALL_LIMITS) {
    this.#bounds = bounds;
    this.#links = new SymbolicLinks(bounds);
  }

  /** Entries so far. */
  get entries(): number {
    return this.#entries;
  }

  /** Adds an entry. Throws `deploy:tar:` `unsafe_path`, `unsafe_link`, `no_root`, `too_many_entries`, `too_large`. */
  add(entry: TarEntry): void {
    this.#entries += 1;
    const path = safePath(entry.path, this.#bounds);
    if (entry.kind !== 'folder' && entry.path.endsWith('/')) {
      throw refusal('deploy:tar:unsafe_path', `holds ${quoted(entry.path)}, named as a folder but a ${entry.kind}`);
    }
    this.#checkRoot(path, entry);
    this.#addFolders(path);
    this.#addNode(path, entry);
    if (entry.kind === 'symlink') this.#links.add(path, entry.target);
    if (this.#entries > this.#bounds.entries || this.#nodes.size > this.#bounds.entries) {
      throw refusal('deploy:tar:too_many_entries', `holds more than ${this.#bounds.entries} entries`);
    }
  }

  /**
   * The root folder's name, once all entries are there. Throws `deploy:tar:no_root` when there were none, and
   * `deploy:tar:unsafe_link` when links lead out of the root through each other.
   */
  finish(): string {
    if (this.#root === null) throw refusal('deploy:tar:no_root', 'is empty');
    this.#links.finish();
    return this.#root;
  }

  #checkRoot(path: string, entry: TarEntry): void {
    const slash = path.indexOf('/');
    const first = slash === -1 ? path : path.slice(0, slash);
    if (slash === -1 && entry.kind !== 'folder') {
      throw refusal('deploy:tar:no_root', `holds ${quoted(path)} beside its root folder`);
    }
    if (this.#root !== null && first !== this.#root) {
      throw refusal('deploy:tar:no_root', `has the roots ${quoted(this.#root)} and ${quoted(first)}`);
    }
    this.#root = first;
  }

  /** Enters the folders above a path, from the nearest up to the first that is known. */
  #addFolders(path: string): void {
    const nearest = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    let folder = nearest;
    while (folder !== '' && folder !== this.#lastFolder) {
      const node = this.#nodes.get(folder);
      if (node === 'folder') break;
      if (node !== undefined) throw below(path, folder, node);
      this.#nodes.set(folder, 'folder');
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
    }
    this.#lastFolder = nearest;
  }

  #addNode(path: string, entry: TarEntry): void {
    const before = this.#nodes.get(path);
    const node = entry.kind === 'hardlink' ? this.#linkedFile(entry) : entry.kind;
    if (before !== undefined && !(before === 'folder' && node === 'folder')) {
      const code = before === 'symlink' || node === 'symlink' ? 'deploy:tar:unsafe_link' : 'deploy:tar:unsafe_path';
      throw refusal(code, `holds ${quoted(path)} twice, first as a ${before}`);
    }
    this.#nodes.set(path, node);
  }

  /**
   * Hard links name their file from the archive's root, and it comes before them. Asking for a known file shuts out
   * symbolic links, at the end of the target and on the way to it.
   */
  #linkedFile(entry: TarEntry): Node {
    const target = safePath(entry.target, this.#bounds, 'deploy:tar:unsafe_link');
    if (this.#nodes.get(target) === 'file') return 'file';
    throw refusal(
      'deploy:tar:unsafe_link',
      `holds the hard link ${quoted(entry.path)} to ${quoted(target)}, which is no file before it`,
    );
  }
}

function below(path: string, node: string, kind: Node) {
  const code = kind === 'symlink' ? 'deploy:tar:unsafe_link' : 'deploy:tar:unsafe_path';
  return refusal(code, `holds ${quoted(path)} below ${quoted(node)}, which is a ${kind}`);
}
