import type { ChildProcessWithoutNullStreams } from 'node:child_process';

/** An answer. The body may be what a command prints, which is incomplete when the command fails. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ChildProcessWithoutNullStreams;
}

/** A request that is answered as GitHub answers it: status and `{ "message", "documentation_url" }`. */
export class RestError extends Error {
  override readonly name = 'RestError';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Returns the error for what does not exist and for what the caller may not see: the two must look the same. */
export function notFound(): RestError {
  return new RestError(404, 'Not Found');
}

const MAX_BODY_BYTES = 65_536;

export function json(status: number, body: unknown, headers: RestAnswer['headers'] = {}): RestAnswer {
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  };
}

/** Returns the parsed body of a request. Throws 400 or 413. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new RestError(413, 'Payload Too Large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new RestError(400, 'Problems parsing JSON');
  }
}
