import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { inspected } from '../../../../../functions/core/tarball/inspect.ts';
import { inChunks, inspect, tarball, verdict } from '../../../../support/archives.ts';

const good = tarball({ name: 'app-1/a', body: 'hello' }, { name: 'app-1/l', type: '2', link: 'a' });

describe('A tarball that is inspected', () => {
  it('is reported with its bytes, hash, entries and root', async () => {
    expect(await inspect(good)).toEqual({
      bytes: good.length,
      sha256: createHash('sha256').update(good).digest('hex'),
      unpackedBytes: 3072,
      entries: 3,
      root: 'app-1',
    });
  });

  it('is passed on unchanged, chunk by chunk', async () => {
    const chunks = [good.subarray(0, 10), good.subarray(10, 11), good.subarray(11)];
    const seen: Uint8Array[] = [];
    for await (const chunk of inspected(iterated(chunks)).body) seen.push(chunk);
    expect(seen).toEqual(chunks);
  });

  it('is read no faster than its reader takes it, and not before', async () => {
    let given = 0;
    const source = async function* () {
      for await (const chunk of inChunks(good, 10)) {
        given += 1;
        yield chunk;
      }
    };
    const body = inspected(source()).body[Symbol.asyncIterator]();
    expect(given).toBe(0);
    for (const taken of [1, 2, 3]) {
      await body.next();
      expect(given).toBe(taken);
    }
    await body.return?.();
  });

  it('is refused before its reader gets the chunk that causes it', async () => {
    const bad = gunzipSync(tarball({ name: '../x' }));
    const members = [gzipSync(bad.subarray(0, 512)), gzipSync(bad.subarray(512))];
    const seen: Uint8Array[] = [];
    const reading = async () => {
      for await (const chunk of inspected(iterated(members)).body) seen.push(chunk);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'deploy:tar:unsafe_path' });
    expect(seen).toEqual(members.slice(0, 1));
  });

  it('is refused in place of its end when only its end is missing', async () => {
    const { body, result } = inspected(iterated([good.subarray(0, -1)]));
    const chunks = body[Symbol.asyncIterator]();
    expect((await chunks.next()).done).toBe(false);
    await expect(chunks.next()).rejects.toMatchObject({ code: 'deploy:tar:truncated', retry: true });
    await expect(result).rejects.toMatchObject({ code: 'deploy:tar:truncated' });
  });

  it('passes on an error of its source, and stops the source when it is refused', async () => {
    const broken = new Error('connection reset');
    const failing = async function* () {
      yield good.subarray(0, 20);
      throw broken;
    };
    await expect(inspect(failing())).rejects.toBe(broken);
    let stopped = false;
    const endless = async function* () {
      try {
        for (;;) yield Buffer.from('no gzip');
      } finally {
        stopped = true;
      }
    };
    expect(await verdict(endless())).toBe('deploy:tar:corrupt');
    expect(stopped).toBe(true);
  });

  it('has no report when its reader stops early', async () => {
    const { body, result } = inspected(inChunks(good, 10));
    for await (const _ of body) break;
    await expect(result).rejects.toThrow('stopped before its end');
  });
});

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => !/[/\\\p{Cc}\p{Cs}]|^\.{1,2}$|^[A-Za-z]:/u.test(text));
const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((segments) => segments.join('/'));
const tree = fc
  .uniqueArray(fc.record({ path, size: fc.nat(3000) }), { selector: (file) => file.path, maxLength: 30 })
  .map(withoutFilesAsFolders);

describe('Any tarball', { timeout: 60_000 }, () => {
  it('of a well-formed project passes with its counts, however it is cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(tree, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 70_000 }), checkTree),
      { numRuns: 25 },
    );
  });

  it('that was damaged passes or is refused, and nothing else, and the same in any chunks', async () => {
    const whole = await packed([
      { path: 'package.json', size: 300 },
      { path: 'ü'.repeat(80), size: 20 },
    ]);
    const zipped = gzipSync(whole);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(7), async (at, bit) => {
        await expectSame(verdicts, gzipSync(flipped(whole, at, bit)));
        await expectSame(verdicts, gzipSync(whole.subarray(0, at % whole.length)));
        await expectSame(verdicts, zipped.subarray(0, at % zipped.length));
        // gunzip tells of damage before what it has inflated from the same chunk, so the reason may differ.
        await expectSame(outcomes, flipped(zipped, at, bit));
      }),
      { numRuns: 20 },
    );
  });

  it('of random bytes is refused, inside gzip and without', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
        expect(await verdict(Buffer.from(bytes))).toMatch(/^deploy:tar:(corrupt|truncated)$/);
        expect(await verdict(gzipSync(bytes))).toMatch(/^deploy:tar:(corrupt|truncated)$/);
      }),
      { numRuns: 50 },
    );
  });
});

interface SourceFile {
  readonly path: string;
  readonly size: number;
}

async function checkTree(files: readonly SourceFile[], small: number, large: number): Promise<void> {
  const bytes = gzipSync(await packed(files));
  const expected = { bytes: bytes.length, entries: files.length + 1, root: 'app-1' };
  const report = await inspect(inChunks(bytes, large));
  expect(report).toMatchObject(expected);
  expect(await inspect(inChunks(bytes, small))).toEqual(report);
}

type Reading = (chunks: AsyncIterable<Uint8Array>) => Promise<unknown>;

/** The report, or the refusal's whole sentence. Throws on any other error. */
const verdicts: Reading = (chunks) => inspect(chunks).catch((error: unknown) => refused(error).message);
/** The report, or that it was refused. Throws on any other error. */
const outcomes: Reading = (chunks) => inspect(chunks).catch((error: unknown) => refused(error) && 'refused');

function refused(error: unknown): DeployError {
  if (error instanceof DeployError && error.code.startsWith('deploy:tar:')) return error;
  throw error;
}

/** Reads the bytes one by one, by the hundred and all at once, and expects the same of each. */
async function expectSame(read: Reading, bytes: Buffer): Promise<void> {
  const [first, ...others] = await Promise.all([1, 100, bytes.length + 1].map((size) => read(inChunks(bytes, size))));
  for (const other of others) expect(other).toEqual(first);
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ (1 << bit);
  return copy;
}

/** A tar archive as another packer makes it, with pax headers for the names that need them. */
async function packed(files: readonly SourceFile[]): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'app-1/', type: 'directory' });
  for (const { path: below, size } of files) archive.entry({ name: `app-1/${below}` }, Buffer.alloc(size, 'x'));
  archive.finalize();
  return buffer(archive);
}

function withoutFilesAsFolders(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter(({ path: one }) => !files.some(({ path: other }) => other.startsWith(`${one}/`)));
}

async function* iterated(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunks;
}
