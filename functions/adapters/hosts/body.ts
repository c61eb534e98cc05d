import type { HttpResponse } from './http-client.ts';

/** More came than the caller is ready to hold. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** The whole body as text (UTF-8), at most `maxBytes`; throws `TooLarge` without reading on when there is more. */
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

/** The body as parsed JSON; undefined when it is none, or larger than a megabyte, or breaks off. */
export async function readJson(response: HttpResponse): Promise<unknown> {
  try {
    return JSON.parse(await readText(response, 1_048_576));
  } catch {
    return undefined;
  }
}
