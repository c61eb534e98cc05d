import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { archiveCorpus } from '../../../../support/archive-corpus.ts';
import {
  endMark,
  gnuLong,
  inspect,
  pax,
  type RawEntry,
  raw,
  root,
  tar,
  tarball,
  verdict,
} from '../../../../support/archives.ts';

const corrupt = 'deploy:tar:corrupt';
const truncated = 'deploy:tar:truncated';
const file: RawEntry = { name: 'app-1/a', body: 'hello' };
const good = tarball(file);

describe('What an entry is', () => {
  it.each([
    ['a character device', '3'],
    ['a block device', '4'],
    ['a named pipe', '6'],
    ['a contiguous file', '7'],
    ['a sparse file of GNU', 'S'],
    ['a folder dump of GNU', 'D'],
    ['a part of several volumes', 'M'],
    ['a volume header', 'V'],
    ['an extended header of Solaris', 'X'],
    ['of an unknown type', 'Z'],
    ['of a type outside ASCII', '\u00ff'],
  ])('may not be %s', async (_what, type) => {
    expect(await verdict(tarball({ name: 'app-1/a', type }))).toBe('deploy:tar:unsafe_type');
  });

  it('may be a file of the old tar format, with NUL for its type', async () => {
    expect(await verdict(tarball({ ...file, type: '\0' }))).toBe('passed');
  });

  it.each([
    ['folder', '5'],
    ['symbolic link', '2'],
    ['hard link', '1'],
  ])('may not be a %s with a body, which some readers take for headers', async (_what, type) => {
    const smuggled = raw({ name: '../x', body: '' });
    expect(await verdict(tarball(file, { name: 'app-1/b', type, link: 'app-1/a', body: smuggled }))).toBe(corrupt);
  });
});

describe('The gzip stream', () => {
  it('is recognised by its first bytes', async () => {
    expect(await verdict(Buffer.from('PK\u0003\u0004 a zip archive, say'))).toBe(corrupt);
    expect(await verdict(tar(root, file))).toBe(corrupt);
    expect(await verdict(Buffer.from('{"message":"Not Found"}'))).toBe(corrupt);
  });

  it('without a single byte is truncated', async () => {
    expect(await verdict(Buffer.alloc(0))).toBe(truncated);
  });

  it('cut anywhere is truncated', async () => {
    for (let length = 1; length < good.length; length++) {
      expect(await verdict(good.subarray(0, length)), `cut to ${length}`).toBe(truncated);
    }
  });

  it('with a wrong checksum or length at its end is corrupt', async () => {
    for (const at of [good.length - 8, good.length - 1]) {
      const damaged = Buffer.from(good);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      expect(await verdict(damaged)).toBe(corrupt);
    }
  });

  it.each([
    ['text', Buffer.from('garbage')],
    ['zeros', Buffer.alloc(3000)],
    ['zeros and another stream, which readers stop at or not', Buffer.concat([Buffer.alloc(8), good])],
  ])('followed by %s is corrupt, in the same chunk or in one of its own', async (_what, rest) => {
    expect(await verdict(given(Buffer.concat([good, rest])))).toBe(corrupt);
    expect(await verdict(given(good, rest))).toBe(corrupt);
  });

  it('may have several members, as parallel compressors write them', async () => {
    const whole = tar(root, file);
    const members = Buffer.concat([gzipSync(whole.subarray(0, 700)), gzipSync(whole.subarray(700))]);
    expect(await inspect(members)).toMatchObject({ entries: 2, unpackedBytes: whole.length });
    expect(await verdict(Buffer.concat([good, gzipSync(raw(file))]))).toBe(corrupt);
  });
});

describe('The tar archive', () => {
  it('cut anywhere inside a whole gzip stream is truncated', async () => {
    const whole = tar(root, file, pax({ path: 'app-1/b' }), { name: 'b' });
    for (let length = 0; length < whole.length; length += 128) {
      expect(await verdict(gzipSync(whole.subarray(0, length))), `cut to ${length}`).toBe(truncated);
    }
  });

  it('without entries has no root', async () => {
    expect(await verdict(gzipSync(endMark))).toBe('deploy:tar:no_root');
    expect(await verdict(gzipSync(tar(pax({ comment: 'the commit of an empty tree' }, 'g'))))).toBe(
      'deploy:tar:no_root',
    );
  });

  it('may be padded with zeros, and with nothing else', async () => {
    expect(await verdict(gzipSync(Buffer.concat([tar(root, file), Buffer.alloc(9999)])))).toBe('passed');
    expect(await verdict(gzipSync(Buffer.concat([tar(root, file), Buffer.alloc(512), raw(file)])))).toBe(corrupt);
    expect(await verdict(gzipSync(Buffer.concat([raw(root), Buffer.alloc(512), raw(file), endMark])))).toBe(corrupt);
  });

  it.each([
    ['of text', 'abc'],
    ['negative', Buffer.from([0xff, ...Buffer.alloc(11, 0xff)])],
    ['with digits after its end', '00000000005\0'.replace('5\0', ' 5')],
  ])('with a size %s is corrupt', async (_what, size) => {
    expect(await verdict(tarball({ ...file, size }))).toBe(corrupt);
  });

  it.each([
    ['neither POSIX nor GNU', 'notar'],
    ['POSIX of a version that readers take differently', 'ustar\x0099'],
  ])('in a format %s is corrupt', async (_what, magic) => {
    expect(await verdict(tarball({ ...file, magic }))).toBe(corrupt);
  });

  it('reads sizes in base 256, as GNU writes large ones', async () => {
    const size = Buffer.concat([Buffer.from([0x80]), Buffer.alloc(10), Buffer.from([5])]);
    expect(await verdict(tarball({ ...file, size, magic: 'ustar  \0' }))).toBe('passed');
  });

  it('joins a name to its prefix, but not in the format of GNU, which keeps times there', async () => {
    expect((await inspect(tarball({ ...file, name: 'b', prefix: 'app-1/x' }))).entries).toBe(2);
    expect(await verdict(tarball({ ...file, prefix: 'times', magic: 'ustar  \0' }))).toBe('passed');
  });
});

describe('An extended header', () => {
  it.each([
    ['with a length that is no number', 'xx path=app-1/b\n'],
    ['with a length that is negative', '-9 path=app-1/b\n'],
    ['with a length beyond its end', '99 path=app-1/b\n'],
    ['with a length that cuts a record', '9 path=app-1/b\n'],
    ['without a line end', '16 path=app-1/bx'],
    ['without an equals sign', '9 path b\n'],
    ['with an empty path', '8 path=\n'],
    ['with a path twice', '14 path=app-1\n14 path=app-2\n'],
    ['with a size that is no number', '11 size=5x\n'],
  ])('of pax %s is corrupt', async (_what, body) => {
    expect(await verdict(tarball(raw({ name: 'x', type: 'x', body }), file))).toBe(corrupt);
  });

  it('must not have a size other than that of the header', async () => {
    expect(await verdict(tarball(pax({ size: '5' }), file))).toBe('passed');
    expect(await verdict(tarball(pax({ size: '1024' }), file))).toBe(corrupt);
  });

  it('may not come twice for one entry, nor name it in two formats', async () => {
    expect(await verdict(tarball(pax({ path: 'app-1/b' }), pax({ path: 'app-1/c' }), file))).toBe(corrupt);
    expect(await verdict(tarball(gnuLong('app-1/b'), gnuLong('app-1/c'), file))).toBe(corrupt);
    expect(await verdict(tarball(gnuLong('app-1/b'), pax({ path: 'app-1/c' }), file))).toBe(corrupt);
    const link = { name: 'app-1/l', type: '2', link: 'x' };
    expect(await verdict(tarball(gnuLong('b', 'K'), pax({ linkpath: 'c' }), link))).toBe(corrupt);
  });

  it('may not be the last of an archive', async () => {
    expect(await verdict(tarball(file, pax({ path: 'app-1/b' })))).toBe(corrupt);
    expect(await verdict(tarball(file, gnuLong('app-1/b')))).toBe(corrupt);
  });

  it('may hold for all entries, as git archive notes the commit, but not rename them', async () => {
    expect(await verdict(gzipSync(tar(pax({ comment: '0f1e2d3c' }, 'g'), root, file)))).toBe('passed');
    expect(await verdict(tarball(pax({ path: '../x' }, 'g'), file))).toBe('deploy:tar:unsafe_path');
    expect(await verdict(tarball(pax({ size: '5' }, 'g'), file))).toBe('deploy:tar:unsafe_path');
    expect(await verdict(tarball(pax({ linkpath: 'x' }, 'g'), file))).toBe('deploy:tar:unsafe_path');
  });

  it('may have records that are not used here', async () => {
    expect(await verdict(tarball(pax({ mtime: '1.5', 'SCHILY.xattr.user.x': 'y=z' }), file))).toBe('passed');
  });
});

async function* given(...chunks: readonly Buffer[]) {
  yield* chunks;
}

describe('the inspection of the archives that both sides know', () => {
  it.each(archiveCorpus)('a tarball with %s', async (_what, bytes, expected) => {
    expect(await verdict(bytes)).toBe(expected);
  });
});
