import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  endMark,
  inChunks,
  inspect,
  pax,
  type RawEntry,
  raw,
  root,
  tarball,
  verdict,
} from '../../../../support/archives.ts';

const MiB = 1024 * 1024;
const tooLarge = 'deploy:tar:too_large';

describe('A bomb', () => {
  it('of bytes that shrink a thousand times is refused by its ratio, long before it has unpacked', async () => {
    let sent = 0;
    const bomb = gzipped(zeros(600));
    const counted = async function* () {
      for await (const chunk of bomb) {
        sent += chunk.length;
        yield chunk;
      }
    };
    expect(await verdict(counted())).toBe('deploy:tar:ratio');
    expect(sent).toBeLessThan(100_000);
  });

  it('in a single chunk is refused as well', async () => {
    expect(await verdict(await buffer(gzipped(zeros(200))))).toBe('deploy:tar:ratio');
  });

  it('of entries is refused', async () => {
    const entries = Array.from({ length: 30 }, (_, index) => ({ name: `app-1/${index}` }));
    expect(await verdict(tarball(...entries), { entries: 31 })).toBe('passed');
    expect(await verdict(tarball(...entries), { entries: 30 })).toBe('deploy:tar:too_many_entries');
  });

  it('of folders that are only named on the way to files is refused', async () => {
    const entries = Array.from({ length: 10 }, (_, index) => ({ name: `app-1/${index}/a/b/c/d/e/f` }));
    expect(await verdict(tarball(...entries), { entries: 71 })).toBe('passed');
    expect(await verdict(tarball(...entries), { entries: 70 })).toBe('deploy:tar:too_many_entries');
  });

  it('of the same folder again and again is refused', async () => {
    const again = Array.from({ length: 30 }, () => root);
    expect(await verdict(tarball(...again), { entries: 30 })).toBe('deploy:tar:too_many_entries');
  });

  it('of headers that nothing follows is refused at the second', async () => {
    const headers = Array.from({ length: 3 }, () => pax({ comment: 'x' }, 'g'));
    expect(await verdict(gzipSync(Buffer.concat([...headers, raw(root), endMark])))).toBe('deploy:tar:corrupt');
  });
});

describe('A limit', () => {
  const file: RawEntry = { name: 'app-1/a', body: Buffer.alloc(10_000, 'x') };
  const good = tarball(file);
  const unpacked = 512 * 2 + 10_240 + 1024;

  it('of compressed bytes is the last number that passes', async () => {
    expect(await verdict(good, { bytes: good.length })).toBe('passed');
    expect(await verdict(good, { bytes: good.length - 1 })).toBe(tooLarge);
  });

  it('of unpacked bytes is the last number that passes', async () => {
    expect(await verdict(good, { unpackedBytes: unpacked })).toBe('passed');
    expect(await verdict(good, { unpackedBytes: unpacked - 1 })).toBe(tooLarge);
  });

  it('of the ratio is not looked at in small archives', async () => {
    const ratio = Math.floor(unpacked / good.length) - 1;
    expect(await verdict(good, { ratio, ratioFrom: unpacked })).toBe('passed');
    expect(await verdict(good, { ratio, ratioFrom: 1000 })).toBe('deploy:tar:ratio');
  });

  it('leaves an archive of empty files room, of which only the names are left when it is compressed', async () => {
    const names = Array.from({ length: 9_999 }, (_, index) => raw({ name: `app-1/f-${index}` }));
    const archive = gzipSync(Buffer.concat([raw(root), ...names, endMark]), { level: 1 });
    expect((await inspect(inChunksOf(archive))).entries).toBe(10_000);
  });
});

function inChunksOf(bytes: Buffer) {
  return inChunks(bytes, 64 * 1024);
}

/** A root folder and one file of that many MiB of zeros, never in memory. */
async function* zeros(count: number) {
  yield raw(root);
  yield raw({ name: 'app-1/zeros', size: count * MiB });
  for (let index = 0; index < count; index++) yield Buffer.alloc(MiB);
  yield endMark;
}

function gzipped(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return Readable.from(chunks).pipe(createGzip());
}
