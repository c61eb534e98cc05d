/** Where tarballs are staged between the stages. */
export interface TarballStore {
  /**
   * Stores a stream under a key in constant memory. When the stream throws, nothing is kept and the error comes out.
   * A second call replaces the first.
   */
  put(key: string, body: AsyncIterable<Uint8Array>): Promise<void>;
  /** The stored bytes and their number; null when the key is not (or no longer) there. */
  get(key: string): Promise<{ readonly body: AsyncIterable<Uint8Array>; readonly bytes: number } | null>;
  /** Forgets a key; a key that is not there is fine. */
  remove(key: string): Promise<void>;
}
