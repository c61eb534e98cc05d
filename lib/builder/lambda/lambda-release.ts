import { constants, createWriteStream } from 'node:fs';
import { copyFile, lstat, readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { ZipFile } from 'yazl';
import type { Settings } from '../../../functions/core/apps/settings.ts';
import { MISSING, unless } from '../../files/errors.ts';
import { shellQuote } from '../../process/command.ts';
import { readStartManifest, STATIC_SERVER, startCommand } from '../start/start-command.ts';

const MB = 1024 * 1024;
/** Lambda allows 250 MB unpacked, and the adapter's layer takes some of it. */
const MOST_MB = 240;
const SHOWN_PARTS = 10;
/** The handler of the function that runs commands of an application. */
const JOBS = fileURLToPath(new URL('jobs.cjs', import.meta.url));
/** The mode of a symbolic link in an archive. */
const LINK = 0o120777;

/** Throws an Error with one sentence when a folder is too large for Lambda; `note` gets its largest parts first. */
export async function checkSize(folder: string, what: string, note: (line: string) => void): Promise<void> {
  const size = await sizeOf(folder);
  if (size <= MOST_MB * MB) return;
  note('The largest parts:');
  const parts = [...(await partsOf(folder, '')), ...(await partsOf(folder, 'node_modules'))];
  const largest = parts.filter(({ bytes }) => bytes >= MB).sort((one, other) => other.bytes - one.bytes);
  for (const { name, bytes } of largest.slice(0, SHOWN_PARTS)) note(`${megabytes(bytes)} MB ${name}`);
  throw new Error(
    `${what} takes ${megabytes(size)} MB, and AWS Lambda allows ${MOST_MB} MB beside its adapter: remove what it does not need when it runs.`,
  );
}

async function partsOf(root: string, folder: string): Promise<{ readonly name: string; readonly bytes: number }[]> {
  const names = (await unless(MISSING, readdir(join(root, folder)))) ?? [];
  return Promise.all(
    names.map(async (name) => ({ name: join(folder, name), bytes: await sizeOf(join(root, folder, name)) })),
  );
}

/** The bytes of the files, not the blocks of a disk. */
async function sizeOf(path: string): Promise<number> {
  const info = await lstat(path);
  if (!info.isDirectory()) return info.size;
  let sum = 0;
  for (const name of await readdir(path)) sum += await sizeOf(join(path, name));
  return sum;
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / MB);
}

interface StartedWith {
  /** The folder of the application in the repository; empty for its root. */
  readonly path: string;
  readonly settings: Settings;
}

/**
 * Writes what Lambda runs, with the Lambda Web Adapter before it, beside the built application, which is in the folder
 * `app` of the release. With arguments it runs them in place of the application. Only /tmp can be written to there. Throws an Error with one sentence when there is nothing to
 * start.
 */
export async function addStartProgram(release: string, { path, settings }: StartedWith): Promise<void> {
  const folder = join(release, 'app', path);
  const { program, args, site } = await startCommand(folder, await readStartManifest(folder), settings);
  const command =
    site === undefined
      ? [program, ...args].map(shellQuote).join(' ')
      : `node "$here/static-server.cjs" ${shellQuote(site)}`;
  await copyFile(STATIC_SERVER, join(release, 'static-server.cjs'));
  await copyFile(JOBS, join(release, 'jobs.cjs'));
  const place = path === '' ? '' : `/${shellQuote(path)}`;
  const script = [
    '#!/bin/sh',
    'here=$' + '{LAMBDA_TASK_ROOT:-$(cd "$(dirname "$0")" && pwd)}',
    `cd "$here/app"${place} || exit 1`,
    'export PATH="$PWD/node_modules/.bin:$here/app/node_modules/.bin:$PATH"',
    'export HOME=$' + '{TMPDIR:-/tmp} LAMBDA_TASK_ROOT="$here"',
    '[ $# -eq 0 ] || exec "$@"',
    `exec ${command}`,
  ];
  await writeFile(join(release, 'run.sh'), `${script.join('\n')}\n`, { mode: 0o755 });
}

/**
 * Writes a folder as a zip archive; links stay links: the programs in node_modules/.bin are such. Every file can be read by
 * all, also one that a build or a package has made for its owner only: Lambda runs the application as another user.
 */
export async function archive(folder: string, file: string): Promise<void> {
  const zip = new ZipFile();
  const add = async (path: string): Promise<void> => {
    for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
      const name = join(path, entry.name);
      const place = join(folder, name);
      if (entry.isDirectory()) await add(name);
      else if (entry.isSymbolicLink()) zip.addBuffer(Buffer.from(await readlink(place)), name, { mode: LINK });
      else if (entry.isFile()) zip.addFile(place, name, { mode: await readableMode(place) });
    }
  };
  await add('');
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

async function readableMode(file: string): Promise<number> {
  const { mode } = await lstat(file);
  return (mode & constants.S_IXUSR) === 0 ? 0o100644 : 0o100755;
}
