import { row, type View } from '../api/views.ts';
import type { Change } from '../core/ports/log.ts';

/** Maximum of cached variants of a change: the base address comes from the client's `Host` header. */
const MAX_VARIANTS = 16;

/**
 * A cache of serialised changes, shared by all readers with the same view. A change's bytes are collected with the
 * change.
 */
export class Lines {
  readonly #cache = new WeakMap<Change, Map<string, Uint8Array>>();
  readonly #encode = new TextEncoder();

  /** Returns what makes the bytes of a change in a view and a frame; `frame.name` identifies the frame. */
  in(view: View, frame: Frame): (change: Change) => Uint8Array {
    const variant = `${frame.name} ${view.docs} ${view.base}`;
    return (change) => {
      const variants = this.#cache.get(change) ?? new Map<string, Uint8Array>();
      const cached = variants.get(variant);
      if (cached) return cached;
      const bytes = this.#encode.encode(frame.row(JSON.stringify(row(change, view)), change.seq));
      if (variants.size < MAX_VARIANTS) variants.set(variant, bytes);
      this.#cache.set(change, variants);
      return bytes;
    };
  }
}

export interface Frame {
  readonly name: string;
  readonly contentType: string;
  /** The first bytes, written before any change is read. */
  start(since: number): string;
  row(json: string, seq: number): string;
  /** Written between two rows. */
  readonly separator: string;
  readonly heartbeat: string;
  /** The last bytes. `reason` is null when the reader has everything that it asked for. */
  end(last: number, reason: Ending | null): string;
}

export interface Ending {
  readonly code: 'status:changes:timeout' | 'status:changes:fatal';
  readonly status: number;
}
