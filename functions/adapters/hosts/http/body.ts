import type { HttpResponse } from './http-client.ts';

export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/**
 * Returns the whole body as a UTF-8 string. Throws `TooLarge`, without reading the rest, when it exceeds `maxBytes`.
 */
export async function readText(response: HttpResponse, maxBytes: number): Promise<string> {
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.discard();
    throw new TooLarge(`more than ${maxBytes} bytes`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new TooLarge(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the body as parsed JSON; undefined when it is not JSON, exceeds `maxBytes`, or is incomplete. */
export async function readJson(response: HttpResponse, maxBytes = 1_048_576): Promise<unknown> {
  try {
    return JSON.parse(await readText(response, maxBytes));
  } catch {
    return undefined;
  }
}
