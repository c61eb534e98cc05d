import { row, type View } from '../core/entry/views.ts';
import type { Change } from '../core/ports/log-reader.ts';

/** Readers of the same change at the same address share its bytes; a made-up `Host` must not fill the memory. */
const VARIANTS = 16;

/** The bytes of changes, made once for all readers that see them alike and forgotten with the change. */
export class Lines {
  readonly #made = new WeakMap<Change, Map<string, Uint8Array>>();
  readonly #encode = new TextEncoder();

  /** The change as a reader with that view gets it, put into its frame. `frame.name` says which frame it is. */
  line(change: Change, view: View, frame: Frame): Uint8Array {
    const made = this.#made.get(change) ?? new Map<string, Uint8Array>();
    this.#made.set(change, made);
    const variant = `${frame.name} ${view.docs} ${view.base}`;
    const known = made.get(variant);
    if (known) return known;
    const bytes = this.#encode.encode(frame.row(JSON.stringify(row(change, view)), change.seq));
    if (made.size < VARIANTS) made.set(variant, bytes);
    return bytes;
  }
}

/** What stands around the rows of a stream. */
export interface Frame {
  readonly name: string;
  readonly contentType: string;
  /** The first bytes, written before anything is known of changes. */
  start(since: number): string;
  row(json: string, seq: number): string;
  /** Between two rows. */
  readonly separator: string;
  /** A sign of life. */
  readonly quiet: string;
  /** The last bytes. `reason` is null when the reader has all it asked for. */
  end(last: number, reason: Ending | null): string;
}

/** Why the service ends a stream. */
export interface Ending {
  readonly code: 'status:changes:timeout' | 'status:changes:fatal';
  readonly status: number;
}
