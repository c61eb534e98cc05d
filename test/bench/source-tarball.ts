import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { randomOf } from '../faults/world/random.ts';

const POOL_BYTES = 8 * 1024 * 1024;
const FILES_PER_FOLDER = 40;

/**
 * Writes a tarball like those of repository hosts: one root folder, file sizes typical of source code (half of them
 * below 6 KiB, some of megabytes), text that gzip compresses to about a quarter. Always the same bytes for a size.
 */
export async function writeSourceTarball(file: string, bytes: number): Promise<void> {
  const { next: random } = randomOf(bytes);
  const pool = sourceText(random);
  const gzip = createGzip({ level: 5, chunkSize: 256 * 1024 });
  const archive = pack({ highWaterMark: 1024 * 1024 });
  const written = once(archive.pipe(gzip).pipe(createWriteStream(file)), 'close');
  await fill(archive, gzip, bytes, () => {
    const size = Math.min(POOL_BYTES / 4, Math.round(6000 * Math.exp(1.5 * normal(random))));
    const start = Math.floor(random() * (pool.length - size));
    return pool.subarray(start, start + size);
  });
  archive.finalize();
  await written;
}

async function fill(archive: Pack, gzip: Gzip, bytes: number, nextBody: () => Buffer): Promise<void> {
  let compressed = 0;
  gzip.on('data', (chunk: Buffer) => {
    compressed += chunk.length;
  });
  for (let number = 0; compressed < bytes; number++) {
    const folder = Math.floor(number / FILES_PER_FOLDER);
    await entry(archive, `source-0f1e2d3c/packages/module-${folder}/file-${number}.ts`, nextBody());
    // Waits for gzip's output, so that the archive ends near the requested size.
    if (number % 64 === 0) await setImmediate();
  }
}

function entry(archive: Pack, name: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry({ name, size: body.length }, body, (error) => (error ? reject(error) : resolve()));
  });
}

/** Returns words and lines that repeat with different frequencies, as in source code. */
function sourceText(random: () => number): Buffer {
  const words = Array.from({ length: 3000 }, () => letters(random, 2 + Math.floor(random() * 9)));
  const glue = [' ', ' ', ' ', '.', '(', ') ', ', ', ' = ', ';\n  ', '\n', '() => ', '\n    const '];
  const pick = <T>(list: readonly T[], bias: number): T => list[Math.floor(random() ** bias * list.length)] as T;
  const phrases = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 4 }, () => pick(words, 3) + pick(glue, 1)).join(''),
  );
  const parts: string[] = [];
  for (let length = 0; length < POOL_BYTES; length += parts.at(-1)?.length ?? 0) {
    parts.push(random() < 0.6 ? pick(phrases, 4) : pick(words, 3) + pick(glue, 1));
  }
  return Buffer.from(parts.join(''), 'latin1');
}

function letters(random: () => number, count: number): string {
  const alphabet = 'etaoinshrdlucmfwypvbgkqjxz';
  return Array.from({ length: count }, () => alphabet[Math.floor(random() ** 2 * alphabet.length)]).join('');
}

/** Returns a nearly normal number: the sum of twelve uniform ones (Irwin–Hall distribution). */
function normal(random: () => number): number {
  let sum = -6;
  for (let index = 0; index < 12; index++) sum += random();
  return sum;
}
