import { row, type View } from '../core/entry/views.ts';
import type { Change } from '../core/ports/log-reader.ts';

/** Variants of a change that are kept: `Host` headers that clients make up must not fill the memory. */
const MAX_VARIANTS = 16;

/** The bytes of changes, made once for all readers with the same view and garbage-collected with the change. */
export class Lines {
  readonly #made = new WeakMap<Change, Map<string, Uint8Array>>();
  readonly #encode = new TextEncoder();

  /** Returns the bytes of a change in a view and a frame; `frame.name` identifies the frame. */
  line(change: Change, view: View, frame: Frame): Uint8Array {
    const made = this.#made.get(change) ?? new Map<string, Uint8Array>();
    this.#made.set(change, made);
    const variant = `${frame.name} ${view.docs} ${view.base}`;
    const known = made.get(variant);
    if (known) return known;
    const bytes = this.#encode.encode(frame.row(JSON.stringify(row(change, view)), change.seq));
    if (made.size < MAX_VARIANTS) made.set(variant, bytes);
    return bytes;
  }
}

/** A format of the stream: what surrounds its rows. */
export interface Frame {
  readonly name: string;
  readonly contentType: string;
  /** The first bytes, written before any change is read. */
  start(since: number): string;
  row(json: string, seq: number): string;
  /** Between two rows. */
  readonly separator: string;
  readonly heartbeat: string;
  /** The last bytes. `reason` is null when the reader has everything that it asked for. */
  end(last: number, reason: Ending | null): string;
}

/** Why the service ends a stream. */
export interface Ending {
  readonly code: 'status:changes:timeout' | 'status:changes:fatal';
  readonly status: number;
}
