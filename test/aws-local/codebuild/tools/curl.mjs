// The few forms of curl that build scripts use, for machines without it: -o, -T, -X, -H, --retry, and flags of its
// output. Plain JavaScript, because it is run as a command.
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fail: { type: 'boolean', short: 'f' },
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    location: { type: 'boolean', short: 'L' },
    output: { type: 'string', short: 'o' },
    'upload-file': { type: 'string', short: 'T' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    retry: { type: 'string', default: '0' },
  },
});
const FAILED = 22;
const [url] = positionals;

process.exitCode = await attempt(Number(values.retry));

async function attempt(retries) {
  const outcome = await once().catch((error) => ({ code: 7, reason: error.cause?.message ?? error.message }));
  if (outcome.code === 0) return 0;
  if (retries > 0 && outcome.code !== FAILED) {
    await pause(1000);
    return attempt(retries - 1);
  }
  process.stderr.write(`curl: (${outcome.code}) ${outcome.reason}\n`);
  return outcome.code;
}

async function once() {
  const file = values['upload-file'];
  const response = await fetch(url, {
    method: values.request ?? (file === undefined ? 'GET' : 'PUT'),
    redirect: values.location ? 'follow' : 'manual',
    headers: await headersOf(file),
    ...(file !== undefined && { body: createReadStream(file), duplex: 'half' }),
  });
  if (values.fail && response.status >= 400) {
    return { code: FAILED, reason: `The requested URL returned error: ${response.status}` };
  }
  const output = values.output === undefined ? process.stdout : createWriteStream(values.output);
  if (response.body) await pipeline(Readable.fromWeb(response.body), output, { end: output !== process.stdout });
  return { code: 0 };
}

async function headersOf(file) {
  const given = values.header.map((line) => line.split(/:\s*(.*)/s).slice(0, 2));
  const length = file === undefined ? {} : { 'content-length': String((await stat(file)).size) };
  return { ...length, ...Object.fromEntries(given) };
}
