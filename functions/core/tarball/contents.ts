import type { TarballLimits } from './limits.ts';
import { refusal } from './refuse.ts';
import { TarTree } from './tree.ts';
import { type EntryReceiver, TarWalker } from './walker.ts';

/**
 * The inflated bytes of a tarball, checked while they arrive. `receiver` gets each entry once it has passed its own
 * checks; those that need all entries, such as chains of links, are made at the end.
 */
export class Contents {
  readonly #bounds: TarballLimits;
  readonly #tree: TarTree;
  readonly #walker: TarWalker;
  #bytes = 0;

  constructor(bounds: TarballLimits, receiver?: EntryReceiver) {
    this.#bounds = bounds;
    this.#tree = new TarTree(bounds);
    const entry: EntryReceiver['entry'] = (one) => {
      this.#tree.add(one);
      receiver?.entry(one);
    };
    this.#walker = new TarWalker(
      receiver?.body ? { entry, body: (bytes) => receiver.body?.(bytes) } : { entry },
      bounds,
    );
  }

  /** Inspects the next bytes. `used` is the number of compressed bytes so far. */
  push(bytes: Buffer, used: number): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#bounds.unpackedBytes) {
      throw refusal('deploy:tar:too_large', `unpacks to more than ${this.#bounds.unpackedBytes} bytes`);
    }
    if (this.#bytes > this.#bounds.ratioFrom && this.#bytes > used * this.#bounds.ratio) {
      throw refusal('deploy:tar:ratio', `unpacks to more than ${this.#bounds.ratio} times its size`);
    }
    this.#walker.push(bytes);
  }

  /** Must be called after the last byte. Throws `deploy:tar:*` for what only the whole archive shows. */
  end(): { readonly unpackedBytes: number; readonly entries: number; readonly root: string } {
    this.#walker.end();
    return { unpackedBytes: this.#bytes, entries: this.#tree.entries, root: this.#tree.finish() };
  }
}
