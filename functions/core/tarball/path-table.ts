/** What stands at a path. A hard link is one more name of its file. */
export type Node = 'file' | 'symlink' | 'folder';

const nodes: readonly Node[] = ['file', 'symlink', 'folder'];
const FIRST_CAPACITY = 1024;

/**
 * What stands at which path, in 18 to 36 bytes a path however long it is: two plain arrays (open addressing,
 * https://en.wikipedia.org/wiki/Open_addressing), where a Map came to 7 MB more at 45 000 files.
 *
 * A path is known by a hash of 53 bits, so two paths may be taken for one: by chance in two of a million archives that
 * are at the limit of entries, or by intent. That is a name twice, and refused; it never opens anything.
 */
export class PathTable {
  #hashes = new Float64Array(FIRST_CAPACITY);
  #nodes = new Uint8Array(FIRST_CAPACITY);
  #size = 0;

  /** Paths in the table. */
  get size(): number {
    return this.#size;
  }

  get(path: string): Node | undefined {
    const slot = this.#slotOf(hash(path));
    return this.#hashes[slot] === 0 ? undefined : nodes[this.#nodes[slot] ?? 0];
  }

  set(path: string, node: Node): void {
    const key = hash(path);
    let slot = this.#slotOf(key);
    if (this.#hashes[slot] === 0) {
      if (this.#size * 2 >= this.#hashes.length) {
        this.#grow();
        slot = this.#slotOf(key);
      }
      this.#size += 1;
      this.#hashes[slot] = key;
    }
    this.#nodes[slot] = nodes.indexOf(node);
  }

  /** Where a hash is, or where it belongs: the first free slot from its own one on. */
  #slotOf(key: number): number {
    let slot = key % this.#hashes.length;
    while (this.#hashes[slot] !== 0 && this.#hashes[slot] !== key) slot = (slot + 1) % this.#hashes.length;
    return slot;
  }

  #grow(): void {
    const [oldHashes, oldNodes] = [this.#hashes, this.#nodes];
    this.#hashes = new Float64Array(oldHashes.length * 2);
    this.#nodes = new Uint8Array(oldHashes.length * 2);
    oldHashes.forEach((key, old) => {
      if (key === 0) return;
      const slot = this.#slotOf(key);
      this.#hashes[slot] = key;
      this.#nodes[slot] = oldNodes[old] ?? 0;
    });
  }
}

/** Two FNV-1a of 32 bits, varied (http://www.isthe.com/chongo/tech/comp/fnv/), as one number that is not 0. */
function hash(path: string): number {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let at = 0; at < path.length; at++) {
    const unit = path.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x01000193) ^ (low >>> 15);
  }
  return (high & 0x1fffff) * 0x100000000 + (low >>> 0) || 1;
}
