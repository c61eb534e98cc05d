import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Upload } from '../../../functions/core/ports/platform.ts';
import { HttpError } from '../../http/http-error.ts';

/** An upload that was received completely, in a temporary file. */
export interface Received {
  /** Renames the file to its final path. */
  keep(): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Writes an upload to a temporary file beside `path`; memory use does not depend on the size. Throws 400 when its hash
 * differs from what was declared; then nothing is kept.
 */
export async function receive(upload: Upload, path: string): Promise<Received> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomBytes(6).toString('hex')}.part`;
  const drop = () => rm(part, { force: true });
  try {
    const sha256 = await writeAll(upload.body, part);
    if (upload.sha256 !== sha256) {
      throw new HttpError(400, `The body has the SHA-256 ${sha256}, but ${upload.sha256} was declared.`);
    }
    return { keep: () => rename(part, path), drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Returns the digest of what it has written. */
async function writeAll(body: AsyncIterable<Uint8Array>, part: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(part, 'wx');
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      await file.write(chunk);
    }
    // The upload is confirmed as stored, so it must survive a power cut.
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
