// Bits of a frame's header: https://www.rfc-editor.org/rfc/rfc6455#section-5.2
const MASKED = 0x80;
const LENGTH_BITS = 0x7f;
const TWO_BYTE_LENGTH = 126;
const EIGHT_BYTE_LENGTH = 127;

/**
 * Returns a listener that reads the frame headers in a client's bytes, and calls `exceeded` for each frame that
 * announces more than `limit` bytes. The `ws` library limits whole messages only. It requires connections without
 * extensions, which API Gateway does not negotiate either.
 */
export function frameMeter(limit: number, exceeded: () => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(10);
  let headerBytes = 0;
  let toSkip = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const step = Math.min(toSkip, chunk.length - at);
      toSkip -= step;
      at += step;
      if (at === chunk.length) return;
      header[headerBytes++] = chunk[at++] ?? 0;
      const length = payloadLength(header, headerBytes);
      if (length === undefined) continue;
      toSkip = length + ((header[1] ?? 0) & MASKED ? 4 : 0);
      headerBytes = 0;
      if (length > limit) exceeded();
    }
  };
}

/** Returns the length that a header announces; undefined while the header is incomplete. */
function payloadLength(header: Buffer, bytes: number): number | undefined {
  if (bytes < 2) return undefined;
  const short = (header[1] ?? 0) & LENGTH_BITS;
  if (short < TWO_BYTE_LENGTH) return short;
  if (short === TWO_BYTE_LENGTH) return bytes < 4 ? undefined : header.readUInt16BE(2);
  return short === EIGHT_BYTE_LENGTH && bytes === 10 ? Number(header.readBigUInt64BE(2)) : undefined;
}
