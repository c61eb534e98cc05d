import type { TarballLimits } from './limits.ts';
import { SymbolicLinks } from './links.ts';
import { quoted, refusal } from './refuse.ts';
import { safePath } from './safe-path.ts';
import type { TarEntry } from './walker.ts';

/** The kind of thing at a path. A hard link is a file. */
type Node = 'file' | 'symlink' | 'folder';

/**
 * The tree that an archive would unpack to. Each entry is checked when it is added: one root folder, no path that
 * leaves it, nothing below a link, no name twice. Memory grows with the number of paths, which is limited, not with
 * file sizes.
 */
export class TarTree {
  readonly #bounds: TarballLimits;
  readonly #links: SymbolicLinks;
  readonly #nodes = new Map<string, Node>();
  #root: string | null = null;
  #entries = 0;
  /** The folder of the previous entry. It is in the tree already, and usually that of the next entry too. */
  #lastFolder = '';

  constructor(bounds: TarballLimits) {
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
   * Returns the name of the root folder, after the last entry. Throws `deploy:tar:no_root` when there were no entries,
   * and `deploy:tar:unsafe_link` when links lead out of the root through other links.
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

  /** Adds the folders above a path, from the nearest up to the first that is known. */
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
   * The target of a hard link starts at the archive's root, and its file comes earlier in the archive. Only known files
   * are accepted, which excludes symbolic links, in the target and above it.
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
