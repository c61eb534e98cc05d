import type { Entry } from './entry.ts';

/** An entry as it is stored: the stored name of `order` is `place`, as in earlier versions. */
type StoredEntry = Omit<Entry, 'order'> & { readonly place?: number };

/** Returns the JSON of an entry that the log stores, and that signals contain. */
export function storedJson({ order, ...entry }: Entry): string {
  const stored: StoredEntry = order === undefined ? entry : { ...entry, place: order };
  return JSON.stringify(stored);
}

/** Returns the entry in a parsed JSON of the log. */
export function storedEntry({ place, ...entry }: StoredEntry): Entry {
  return place === undefined ? entry : { ...entry, order: place };
}
