// A tarball of 3,000 small files unpacked as a build does it, compared to GNU tar on the same file; and a small one by
// a process that was started ahead, compared to one that was not.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { extract, type Unpackers, unpackers } from '../../lib/platform/build/unpackers.ts';
import { defaultLimits } from '../../lib/platform/settings.ts';
import { raw, root, tar } from '../support/archives.ts';
import { type BenchRow, timeRow } from './row.ts';
import { median, timed } from './statistics.ts';

const FILES = 3_000;
const FILES_PER_FOLDER = 20;
const RUNS = 9;
const MOST_TIMES_TAR = 2;
const AHEAD_MS = 1_500;
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
    return [row(median(own), median(baseline)), await ahead(folder)];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function ahead(folder: string): Promise<BenchRow> {
  const tarball = join(folder, 'small.tgz');
  await writeFile(tarball, gzipSync(tar(root, source(0))));
  const program = join(folder, 'unpack.cjs');
  const [waiting, starting] = [0, 60_000].map((aheadMs) => unpackers({ groups, program, aheadMs }));
  const times = { waiting: [] as number[], starting: [] as number[] };
  const once = async (all: Unpackers | undefined) =>
    all ? timed(() => unpackedBy(all, tarball, join(folder, 'small'))) : Number.NaN;
  await once(waiting);
  for (let run = 0; run < RUNS; run++) {
    // Until the next one has started.
    await setTimeout(AHEAD_MS);
    times.starting.push(await once(starting));
    times.waiting.push(await once(waiting));
  }
  await waiting?.close();
  await starting?.close();
  const [own, base] = [median(times.waiting), median(times.starting)];
  const limit = { target: '≤ 0.5 × one that was not', reached: own <= 0.5 * base };
  return timeRow('tarball of one file, unpacked by a process that was started ahead', { own, base, ...limit });
}

function source(at: number): Buffer {
  const name = `app-1/module-${Math.floor(at / FILES_PER_FOLDER)}/file-${at}.js`;
  return raw({ name, body: `export const value${at} = ${at};\n`.repeat(30) });
}

async function unpacked(folder: string, tarball: string): Promise<void> {
  const all = unpackers({ groups, program: join(folder, 'unpack.cjs'), aheadMs: 60_000 });
  await unpackedBy(all, tarball, join(folder, 'own'));
  await all.close();
}

async function unpackedBy(all: Unpackers, tarball: string, target: string): Promise<void> {
  const { signal } = new AbortController();
  await extract({ tarball, target, limits: defaultLimits, unpackers: all, what: 'bench', signal });
}

async function untarred(folder: string, tarball: string): Promise<void> {
  const target = join(folder, 'tar');
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
}

function row(own: number, base: number): BenchRow {
  const limit = { target: `≤ ${MOST_TIMES_TAR} × tar -xzf`, reached: own <= MOST_TIMES_TAR * base };
  return timeRow(`tarball of ${FILES} small files, unpacked`, { own, base, ...limit });
}
