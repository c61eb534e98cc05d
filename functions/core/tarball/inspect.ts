import { createHash } from 'node:crypto';
import { Contents } from './contents.ts';
import { Inflater } from './inflate.ts';
import { TARBALL_LIMITS, type TarballLimits } from './limits.ts';
import { refusal } from './refuse.ts';

/** The result of an inspection that refused nothing. */
export interface TarballReport {
  /** Compressed bytes. */
  readonly bytes: number;
  /** Digest of the compressed bytes, lower-case hex. */
  readonly sha256: string;
  /** Bytes after gunzip, headers and padding included. */
  readonly unpackedBytes: number;
  /** Files, folders and links; extended headers do not count. */
  readonly entries: number;
  /** The name of the root folder, which contains all entries. */
  readonly root: string;
}

/** A tarball that is inspected while it is read. */
interface InspectedTarball {
  /**
   * The bytes of the source, unchanged, each chunk after its inspection. Throws a `deploy:tar:*` error as soon as
   * something is refused, at the latest instead of ending: stored bytes are only complete after the iteration has
   * ended. Errors of the source are rethrown unchanged. Can be read once.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * Resolves once `body` has been read to its end. Rejects with the error that `body` threw, or with a plain error when
   * its reader stopped early; a rejection needs no handler.
   */
  readonly result: Promise<TarballReport>;
}

/**
 * Returns a gzip tarball that is inspected in one pass while it is read: counted, hashed, inflated, its headers
 * checked. Memory does not grow with its size. `source` is read no faster than `body`, and not before. The bytes are
 * not changed. A tarball that passes unpacks into its target folder only, with the root folder stripped.
 */
export function inspected(source: AsyncIterable<Uint8Array>, bounds: TarballLimits = TARBALL_LIMITS): InspectedTarball {
  const pending = new PendingReport();
  return { body: inspect(source, bounds, pending), result: pending.report };
}

async function* inspect(
  source: AsyncIterable<Uint8Array>,
  bounds: TarballLimits,
  pending: PendingReport,
): AsyncGenerator<Uint8Array, void, undefined> {
  const sha256 = createHash('sha256');
  const contents = new Contents(bounds);
  const inflater = new Inflater((bytes, used) => contents.push(bytes, used));
  let bytes = 0;
  try {
    for await (const chunk of source) {
      if (chunk.length === 0) continue;
      bytes += chunk.length;
      if (bytes > bounds.bytes) throw refusal('deploy:tar:too_large', `is larger than ${bounds.bytes} bytes`);
      const inflated = inflater.write(chunk);
      sha256.update(chunk); // while the thread pool inflates
      await inflated;
      yield chunk;
    }
    await inflater.end();
    pending.resolve({ bytes, sha256: sha256.digest('hex'), ...contents.end() });
  } catch (error) {
    pending.reject(error);
    throw error;
  } finally {
    inflater.destroy();
    pending.reject(new Error('The reader of the tarball stopped before its end.'));
  }
}

/** A promise of the report. Only the first settlement counts, and a rejection needs no listener. */
class PendingReport {
  resolve: (report: TarballReport) => void = () => {};
  reject: (error: unknown) => void = () => {};
  readonly report = new Promise<TarballReport>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    this.report.catch(() => {});
  }
}
