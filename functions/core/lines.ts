/** Yields the lines of a text that comes in pieces, without a last one that was cut off. */
export async function* linesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let unfinished = '';
  for await (const piece of pieces) {
    const lines = (unfinished + decoder.decode(piece, { stream: true })).split('\n');
    unfinished = lines.pop() ?? '';
    yield* lines;
  }
}
