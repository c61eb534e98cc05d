// One run in a separate process, so that the peak of memory is that of this run.
// Arguments: task, file, settings of an S3 client as JSON, bucket. Prints one line of JSON.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { s3Tarballs } from '../../functions/adapters/stores/s3-tarballs.ts';
import type { TarballStore } from '../../functions/core/ports/stages.ts';
import { inspected } from '../../functions/core/tarball/inspect.ts';

const [what = '', file = '', settings = '', bucket = ''] = process.argv.slice(2);

const tasks: Readonly<Record<string, (store: TarballStore) => Promise<void>>> = {
  /** The baseline, with the chunk size that is best for inspection. */
  gunzip: async () => {
    const gunzip = createReadStream(file).pipe(createGunzip({ chunkSize: 256 * 1024 }));
    gunzip.resume();
    await new Promise((resolve, reject) => gunzip.on('end', resolve).on('error', reject));
  },
  inspect: async () => {
    for await (const _ of inspected(createReadStream(file)).body);
  },
  upload: (store) => store.put('bench', createReadStream(file)),
  pass: async (store) => {
    const { body, result } = inspected(createReadStream(file));
    await store.put('bench', body);
    await result;
  },
};

const client = new S3Client({
  ...JSON.parse(settings),
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});
const store = s3Tarballs({ client, bucket });
// Warm up: the first call of a process loads the SDK's rules and connects, which a function does once.
await store.remove('bench');
const start = performance.now();
await tasks[what]?.(store);
const ms = performance.now() - start;
await store.remove('bench');
console.log(JSON.stringify({ ms, peakBytes: peakBytes() }));
client.destroy();

/** Returns the kernel's peak if available, because `maxRSS` starts at that of the parent process. */
function peakBytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return 1024 * (kilobytes === undefined ? process.resourceUsage().maxRSS : Number(kilobytes));
}
