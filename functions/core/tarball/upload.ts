import { Readable } from 'node:stream';
import { DeployError } from '../errors.ts';
import type { Upload } from '../ports/platform.ts';

/** The source of an upload failed or did not have the declared length. */
class SourceError extends Error {
  override readonly name = 'SourceError';
}

/**
 * Sends an upload's bytes and always destroys their source, even when nothing was read from it.
 * Throws `deploy:platform:upload_tarball`, retryable, when the source fails or does not have the declared length.
 */
export async function withUpload<T>(
  { body, bytes }: Upload,
  send: (body: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const source = body instanceof Readable ? body : Readable.from(body);
  // The stream's reader receives its errors. Before the first read, an error without a listener would end the process.
  source.on('error', () => undefined);
  let failure: SourceError | undefined;
  const counted = counting(source, bytes, (error) => {
    failure = error;
    return error;
  });
  try {
    return await send(counted);
  } catch (error) {
    throw failure ? unreadable(failure) : error;
  } finally {
    source.destroy();
  }
}

async function* counting(
  source: AsyncIterable<Uint8Array>,
  declared: number,
  fail: (error: SourceError) => SourceError,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  try {
    for await (const chunk of source) {
      count += chunk.byteLength;
      if (count > declared) break;
      yield chunk;
    }
  } catch (cause) {
    throw fail(new SourceError('it could not be read to its end', { cause }));
  }
  if (count > declared) throw fail(new SourceError(`it is longer than the ${declared} bytes declared`));
  if (count < declared) throw fail(new SourceError(`it has ${count} bytes, not the ${declared} declared`));
}

function unreadable(error: SourceError): DeployError {
  const detail = `The stored tarball could not be sent to the platform: ${error.message}.`;
  return new DeployError('deploy:platform:upload_tarball', detail, { retry: true, cause: error });
}
