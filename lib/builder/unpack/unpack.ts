import { createReadStream } from 'node:fs';
import { DeployError } from '../../../functions/core/errors.ts';
import { Contents } from '../../../functions/core/tarball/contents.ts';
import { Inflater } from '../../../functions/core/tarball/inflate.ts';
import type { TarballLimits } from '../../../functions/core/tarball/limits.ts';
import { TreeWriter } from './tree-writer.ts';

/**
 * Unpacks a gzip tarball into `target`, an empty folder, without its root folder. It is read as the service reads it
 * before it passes it on, so that both see the same files. Throws an Error with one sentence, and leaves what was
 * unpacked until then.
 */
export async function unpack(tarball: string, target: string, limits: TarballLimits): Promise<void> {
  const writer = new TreeWriter(target);
  const contents = new Contents(limits, writer);
  const inflater = new Inflater((bytes, used) => contents.push(bytes, used));
  try {
    for await (const chunk of createReadStream(tarball, { highWaterMark: 256 * 1024 })) await inflater.write(chunk);
    await inflater.end();
    contents.end();
    writer.finish();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(cause instanceof DeployError ? cause.detail : `The tarball cannot be unpacked: ${why}.`, { cause });
  } finally {
    inflater.destroy();
    writer.close();
  }
}
