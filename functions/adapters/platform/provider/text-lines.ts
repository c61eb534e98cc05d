const MAX_LINE_CHARACTERS = 64 * 1024;

/**
 * Yields the lines of a response body in batches, as they arrive. Aborting the signal of the request ends the iteration
 * with that signal's error.
 */
export async function* textLines(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = (parts.pop() ?? '').slice(0, MAX_LINE_CHARACTERS);
    // Builds keep a connection alive with NUL characters.
    const lines = parts.map((part) => part.replaceAll('\0', '').replace(/\r$/, ''));
    if (lines.length > 0) yield lines;
  }
  if (rest.replaceAll('\0', '') !== '') yield [rest.replaceAll('\0', '')];
}
