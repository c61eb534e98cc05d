import type { TarballLimits } from './limits.ts';
import { quoted, refusal } from './refuse.ts';
import { isAbsolute } from './safe-path.ts';

/** Links that Linux follows in one path: https://man7.org/linux/man-pages/man7/path_resolution.7.html */
const MAX_HOPS = 40;
/** In `#resolved`: the link is being followed. Reaching it again is a loop, which resolves to no path. */
const NOWHERE = null;

/**
 * The symbolic links of an archive. Each link is checked alone when it is added, and with all others at the end:
 * `a/up -> ..` and `out -> a/up/..` each stay inside the root, but together they leave it.
 */
export class SymbolicLinks {
  readonly #targets = new Map<string, string>();
  readonly #resolved = new Map<string, string | typeof NOWHERE>();
  readonly #bounds: TarballLimits;
  #bytes = 0;

  constructor(bounds: TarballLimits) {
    this.#bounds = bounds;
  }

  /** Adds a link. Throws `deploy:tar:unsafe_link` when its target is absolute or leaves the root. */
  add(path: string, target: string): void {
    if (target === '' || isAbsolute(target)) throw unsafeLink(path, `points at ${quoted(target)}`);
    if (Buffer.byteLength(target) > this.#bounds.pathBytes) throw unsafeLink(path, 'has too long a target');
    this.#bytes += path.length + target.length;
    if (this.#bytes > this.#bounds.linkBytes) throw refusal('deploy:tar:too_large', 'holds too many links');
    // Windows takes a backslash for a slash.
    for (const reading of new Set([target, target.replaceAll('\\', '/')])) this.#walk(path, reading, (step) => step);
    this.#targets.set(path, target);
  }

  /** Follows every link through all others. Throws `deploy:tar:unsafe_link` when one leaves the root. */
  finish(): void {
    for (const path of this.#targets.keys()) this.#resolve(path, 1);
  }

  #resolve(path: string, hops: number): string | typeof NOWHERE {
    const target = this.#targets.get(path);
    if (target === undefined) return path;
    const resolved = this.#resolved.get(path);
    if (resolved !== undefined) return resolved;
    if (hops > MAX_HOPS) throw unsafeLink(path, `is one of more than ${MAX_HOPS} links in a chain`);
    this.#resolved.set(path, NOWHERE);
    const end = this.#walk(path, target, (step) => this.#resolve(step, hops + 1));
    this.#resolved.set(path, end);
    return end;
  }

  /** Returns the path that a target resolves to, segment by segment from the link's folder, as the kernel does. */
  #walk(path: string, target: string, follow: (step: string) => string | typeof NOWHERE): string | typeof NOWHERE {
    let at = parentOf(path);
    for (const segment of target.split('/')) {
      if (segment === '' || segment === '.') continue;
      // The root has no slash in it: its parent is outside.
      if (segment === '..' && !at.includes('/')) throw unsafeLink(path, `leads out of the root with ${quoted(target)}`);
      const next = segment === '..' ? parentOf(at) : follow(`${at}/${segment}`);
      if (next === NOWHERE) return NOWHERE;
      if (next.length > this.#bounds.pathBytes) throw unsafeLink(path, 'leads to too long a path');
      at = next;
    }
    return at;
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function unsafeLink(path: string, what: string) {
  return refusal('deploy:tar:unsafe_link', `holds the link ${quoted(path)}, which ${what}`);
}
