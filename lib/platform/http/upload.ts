import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { HttpError } from '../http-error.ts';

/** What an upload says of itself before its first byte. */
export interface Declared {
  readonly bytes: number;
  /** Lower-case hex; not every caller gives it. */
  readonly sha256?: string;
}

/** A body that has arrived whole, in a file of its own that is not yet at its place. */
export interface Received {
  readonly bytes: number;
  readonly sha256: string;
  /** Puts the file at its place, in one step. */
  keep(): Promise<void>;
  /** Removes it. */
  drop(): Promise<void>;
}

/**
 * Streams a body to a file beside `path`, counting and hashing while it flows, so that memory stays constant whatever the
 * size. 400 when it is shorter or longer than declared or has another hash; then nothing is kept.
 */
export async function receive(body: Readable, path: string, declared: Declared): Promise<Received> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomBytes(6).toString('hex')}.part`;
  const drop = () => rm(part, { force: true });
  try {
    const sha256 = await writeAll(body, part, declared);
    if (declared.sha256 !== undefined && declared.sha256 !== sha256) {
      throw new HttpError(400, `The body has the SHA-256 ${sha256}, but ${declared.sha256} was declared.`);
    }
    return { bytes: declared.bytes, sha256, keep: () => rename(part, path), drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function writeAll(body: Readable, part: string, { bytes }: Declared): Promise<string> {
  const hash = createHash('sha256');
  let received = 0;
  const file = await open(part, 'wx');
  try {
    for await (const chunk of chunks(body)) {
      received += chunk.length;
      if (received > bytes) break;
      hash.update(chunk);
      await file.write(chunk);
    }
    if (received !== bytes) {
      const more = received > bytes ? 'more' : `${received}`;
      throw new HttpError(400, `The body has ${more} bytes, but ${bytes} were declared; send it again.`);
    }
    // The answer promises that the tarball is here, so it must outlive a power cut.
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** The body's chunks; a caller that goes away in the middle ends them early, like a body that is too short. */
async function* chunks(body: Readable): AsyncGenerator<Buffer> {
  try {
    // Not destroyed on return: its connection is still needed for the answer.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    }
  } catch {
    return;
  }
}
