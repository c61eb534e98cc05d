/** The longest documented answer, a list of apps, has some hundred kilobytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Returns the body of an answer as text. Throws when it is too long to be the answer of any call. */
export async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`The answer is longer than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
