// A tarball streamed from the host to S3 with inspection, compared to gunzip of the same file without output.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { build } from 'esbuild';
import { clientFor } from '../aws-local/clients.ts';
import { startSqsS3 } from '../aws-local/emulators/sqs-s3.ts';
import { type BenchRow, timeRow } from './row.ts';
import { writeSourceTarball } from './source-tarball.ts';
import { median, milliseconds } from './statistics.ts';

const BUCKET = 'bench';
const MOST_TIMES_GUNZIP = 1.5;
const MOST_PEAK_MB = 120;
const sizes = [
  { megabytes: 1, runs: 7 },
  { megabytes: 50, runs: 5 },
  { megabytes: 500, runs: 3 },
];
const tasks = ['gunzip', 'inspect', 'upload', 'pass'] as const;

interface Run {
  readonly ms: number;
  readonly peakBytes: number;
}
type Measured = Readonly<Record<(typeof tasks)[number], Run>>;

/**
 * Measures the pass at 1, 50 and 500 MB: inspection alone, and the whole pass minus the same upload without inspection
 * (the S3 emulator uses the same processors), compared to gunzip of the same file; then the peak of memory of the
 * pass's process. Each run is a separate process, and the four tasks alternate.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tarball-bench-'));
  const emulator = await startSqsS3();
  try {
    const s3 = new S3Client(clientFor(emulator.endpoint));
    await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const script = await bundled(folder);
    const rows: BenchRow[] = [];
    for (const { megabytes, runs } of sizes) {
      const file = join(folder, `${megabytes}.tar.gz`);
      await writeSourceTarball(file, megabytes * 1e6);
      rows.push(
        ...rowsOf(megabytes, await measure([script, file, JSON.stringify(clientFor(emulator.endpoint))], runs)),
      );
      await rm(file);
    }
    return rows;
  } finally {
    await emulator.close();
    await rm(folder, { recursive: true });
  }
}

/** Bundles the run as functions are deployed: one minified file. */
async function bundled(folder: string): Promise<string> {
  const outfile = join(folder, 'run.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'tarball-run.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}

async function measure([script, file, endpoint]: readonly [string, string, string], runs: number): Promise<Measured> {
  const all = { gunzip: [] as Run[], inspect: [] as Run[], upload: [] as Run[], pass: [] as Run[] };
  for (let index = 0; index < runs; index++) {
    for (const task of tasks) all[task].push(await runOnce([script, task, file, endpoint, BUCKET]));
  }
  return {
    gunzip: typical(all.gunzip),
    inspect: typical(all.inspect),
    upload: typical(all.upload),
    pass: typical(all.pass),
  };
}

async function runOnce(args: readonly string[]): Promise<Run> {
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    // The stack's setting for functions that stream tarballs.
    env: {
      ...process.env,
      NODE_OPTIONS: '--max-semi-space-size=2',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
  });
  return JSON.parse(stdout);
}

/** Returns the median of the times and the maximum of the peaks. */
function typical(runs: readonly Run[]): Run {
  return { ms: median(runs.map(({ ms }) => ms)), peakBytes: Math.max(...runs.map(({ peakBytes }) => peakBytes)) };
}

function rowsOf(megabytes: number, { gunzip, inspect, upload, pass }: Measured): readonly BenchRow[] {
  const time = (what: string, ms: number, limit = {}) =>
    timeRow(`tarball of ${megabytes} MB, ${what}`, { own: ms, base: gunzip.ms, ...limit });
  const passed = pass.ms - upload.ms;
  const peak = pass.peakBytes / 1e6;
  return [
    // A part of the pass, to show its share.
    time('inspected', inspect.ms),
    time(`to S3 in ${milliseconds(pass.ms)} less ${milliseconds(upload.ms)} of upload`, passed, {
      ...{ target: `≤ ${MOST_TIMES_GUNZIP} × gunzip`, reached: passed <= MOST_TIMES_GUNZIP * gunzip.ms },
    }),
    {
      figure: `tarball of ${megabytes} MB, to S3, peak`,
      value: `${Math.round(peak)} MB`,
      baseline: `${Math.round(gunzip.peakBytes / 1e6)} MB`,
      target: `≤ ${MOST_PEAK_MB} MB`,
      reached: peak <= MOST_PEAK_MB,
    },
  ];
}
