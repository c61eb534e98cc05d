// A tarball of 3,000 small files unpacked as a build does it, compared to GNU tar on the same file.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { extract } from '../../lib/platform/build/extract.ts';
import { defaultLimits } from '../../lib/platform/settings.ts';
import { raw, root, tar } from '../support/archives.ts';
import type { BenchRow } from './row.ts';
import { median, milliseconds, ratioOf } from './statistics.ts';

const FILES = 3_000;
const FILES_PER_FOLDER = 20;
const RUNS = 9;
const MOST_TIMES_TAR = 2;
const groups = { add: () => undefined, remove: () => undefined, close: async () => undefined };

/**
 * Measures both in turn, from the tarball on the disk to the end of the process; the folders are removed in between.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unpack-bench-'));
  try {
    const tarball = join(folder, 'source.tgz');
    await writeFile(tarball, gzipSync(tar(root, ...Array.from({ length: FILES }, (_, at) => source(at)))));
    const own: number[] = [];
    const baseline: number[] = [];
    // The first run writes the program, which a platform does once.
    await unpacked(folder, tarball);
    for (let run = 0; run < RUNS; run++) {
      baseline.push(await timed(() => untarred(folder, tarball)));
      own.push(await timed(() => unpacked(folder, tarball)));
    }
    return [row(median(own), median(baseline))];
  } finally {
    await rm(folder, { recursive: true });
  }
}

function source(at: number): Buffer {
  const name = `app-1/module-${Math.floor(at / FILES_PER_FOLDER)}/file-${at}.js`;
  return raw({ name, body: `export const value${at} = ${at};\n`.repeat(30) });
}

async function unpacked(folder: string, tarball: string): Promise<void> {
  const { signal } = new AbortController();
  const paths = { tarball, target: join(folder, 'own'), program: join(folder, 'unpack.cjs') };
  await extract({ ...paths, limits: defaultLimits, groups, what: 'bench', signal });
}

async function untarred(folder: string, tarball: string): Promise<void> {
  const target = join(folder, 'tar');
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function row(own: number, baseline: number): BenchRow {
  return {
    figure: `tarball of ${FILES} small files, unpacked`,
    value: milliseconds(own),
    baseline: milliseconds(baseline),
    ratio: ratioOf(own, baseline),
    target: `≤ ${MOST_TIMES_TAR} × tar -xzf`,
    reached: own <= MOST_TIMES_TAR * baseline,
  };
}
