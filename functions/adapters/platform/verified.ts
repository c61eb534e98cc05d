import { createHash } from 'node:crypto';
import { DeployError } from '../../core/errors.ts';

/** Returns the bytes of an upload. Throws `deploy:platform:upload_tarball` at their end when the digest is another. */
export async function* verified(body: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
  const digest = hash.digest('hex');
  if (digest === sha256) return;
  const detail = `The tarball has the SHA-256 ${digest}, not ${sha256}.`;
  throw new DeployError('deploy:platform:upload_tarball', detail, { retry: false });
}
