import { mkdir, rm } from 'node:fs/promises';
import type { Unpackers, UnpackJob } from './unpackers.ts';

/** A tarball to unpack; the target is emptied first. */
export interface Extraction extends UnpackJob {
  readonly unpackers: Pick<Unpackers, 'take'>;
  /** For whom it is unpacked, for the registry of groups. */
  readonly what: string;
  /** Ends the program and rejects. */
  readonly signal: AbortSignal;
}

/**
 * Unpacks a gzip tarball of one root folder into `target`; the root folder is stripped. Throws an Error with one
 * sentence for everything that the service refuses too (`functions/core/tarball`); what was unpacked until then is
 * removed.
 */
export async function extract(spec: Extraction): Promise<void> {
  await rm(spec.target, { recursive: true, force: true, maxRetries: 3 });
  await mkdir(spec.target, { recursive: true });
  try {
    await unpackApart(spec);
  } catch (error) {
    await rm(spec.target, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
}

async function unpackApart({ unpackers, what, signal, tarball, target, limits }: Extraction): Promise<void> {
  const { group, unpack } = await unpackers.take(what);
  const cancel = () => void group.end(0).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const { unpackedBytes, entries } = limits;
  await unpack({ tarball, target, limits: { unpackedBytes, entries } }).finally(() =>
    signal.removeEventListener('abort', cancel),
  );
}
