import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { HttpError } from '../../http/http-error.ts';

/** Size and hash of an upload, declared before its first byte. */
export interface Declared {
  readonly bytes: number;
  /** Lower-case hex; optional. */
  readonly sha256?: string;
}

/** A body that was received completely, in a temporary file. */
export interface Received {
  readonly bytes: number;
  readonly sha256: string;
  /** Renames the file to its final path. */
  keep(): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Streams a body to a temporary file beside `path` and returns its size and hash; memory use does not depend on the
 * size. Throws 400 when size or hash differ from what was declared; then nothing is kept.
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
    // The response confirms that the tarball is stored, so it must survive a power cut.
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** Yields the body's chunks. When the client disconnects they end early, like a body that is too short. */
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
