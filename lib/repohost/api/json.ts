import type { RestAnswer } from './answer.ts';
import { RestError } from './rest-error.ts';

const MAX_BODY_BYTES = 65_536;

/** Returns an answer with JSON. */
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
