import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { backOff } from '../../../functions/core/concurrency.ts';
import { MISSING, unless } from '../../files/errors.ts';
import type { Project } from '../project.ts';

const TRIES = 4;
/** In milliseconds. */
const PAUSES = { first: 1_000, most: 10_000 };

/** An answer that another try would not change. */
class Refused extends Error {}

/** Stores what is at a presigned address in a file. Rejects when there is no such object. */
export async function download(address: string, file: string): Promise<void> {
  await withRetries(async () => {
    const { body } = await request(address, {});
    await pipeline(Readable.fromWeb(body ?? new ReadableStream()), createWriteStream(file));
  });
}

/** Stores a file at a presigned address. */
export async function upload(file: string, address: string): Promise<void> {
  const { size } = await stat(file);
  await withRetries(async () => {
    // S3 takes no body without a length.
    const headers = { 'content-length': String(size) };
    const body = Readable.toWeb(createReadStream(file));
    await request(address, { method: 'PUT', headers, body, duplex: 'half' });
  });
}

async function request(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  if (response.ok) return response;
  await response.body?.cancel();
  const isFinal = response.status < 500 && response.status !== 408 && response.status !== 429;
  throw isFinal ? new Refused(`${response.status}`) : new Error(`${response.status}`);
}

async function withRetries(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refused || tries === TRIES) throw error;
      await pause(backOff(tries - 1, PAUSES));
    }
  }
}

const run = promisify(execFile);
/** Fetching more takes longer than the installation. */
const MOST_KB = 500 * 1024;

/** Unpacks the packages of the last build into a folder, which is empty when there are none. */
export async function fetchPackages(address: string, folder: string): Promise<void> {
  const file = `${folder}.tgz`;
  await mkdir(folder);
  try {
    await download(address, file);
    await run('tar', ['-xzf', file, '-C', folder]);
  } catch {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
  }
  await rm(file, { force: true });
}

/** Stores the packages for the next build, unless they are those of the last one, or too many. */
export async function keepPackages(folder: string, { installAt, manager }: Project, address: string): Promise<void> {
  const lockfile = await readFile(join(installAt, manager.lockfile ?? 'package.json'));
  const id = `${createHash('sha256').update(lockfile).digest('hex')} ${process.version}`;
  const file = join(folder, 'id');
  if ((await unless(MISSING, readFile(file, 'utf8'))) === id) return;
  await writeFile(file, id);
  const { stdout } = await run('du', ['-sk', folder]);
  if (Number.parseInt(stdout, 10) > MOST_KB) return;
  await run('tar', ['-czf', `${folder}.tgz`, '-C', folder, '.']);
  await upload(`${folder}.tgz`, address);
}
