import { describe, expect, it } from 'vitest';
import { frameMeter } from '../../../../lib/http/websocket.ts';

/** A client's frame: masked, with the shortest form of its length that fits. */
function frame(length: number): Buffer {
  const mask = Buffer.from([1, 2, 3, 4]);
  // Bytes that look like the header of a huge frame when they are read as one.
  const payload = Buffer.alloc(length, 0xff);
  if (length < 126) return Buffer.concat([Buffer.from([0x81, 0x80 | length]), mask, payload]);
  const header = Buffer.alloc(length < 65_536 ? 4 : 10);
  header[0] = 0x81;
  header[1] = 0x80 | (length < 65_536 ? 126 : 127);
  if (length < 65_536) header.writeUInt16BE(length, 2);
  else header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, mask, payload]);
}

describe('the frame meter', () => {
  const sizes = [0, 1, 125, 126, 1000, 1001, 5, 65_535, 65_536, 1000];
  const stream = Buffer.concat(sizes.map(frame));

  it.each([1, 2, 3, 7, 1024, stream.length])(
    'the frame meter finds every frame over its limit in pieces of %i bytes',
    (piece) => {
      let found = 0;
      const meter = frameMeter(1000, () => {
        found += 1;
      });
      for (let at = 0; at < stream.length; at += piece) meter(stream.subarray(at, at + piece));
      expect(found).toBe(3);
    },
  );

  it('the frame meter reports a frame as soon as its length is announced', () => {
    let found = 0;
    frameMeter(1000, () => {
      found += 1;
    })(frame(65_536).subarray(0, 10));
    expect(found).toBe(1);
  });
});
