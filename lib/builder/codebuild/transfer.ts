import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { backOff } from '../../../functions/core/concurrency.ts';

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
