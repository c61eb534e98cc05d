import { EventEmitter } from 'node:events';
import { appendFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { hasCode } from '../../processes/error-code.ts';

/** The output of one application: its last lines in memory, more in a file. */
export interface AppLog {
  /** Reads a stream of the application to its end and calls `seen` with each line. */
  capture(stream: Readable, seen: (line: string) => void): void;
  /** Adds a line of the platform: serves, crashed, stopped. */
  note(line: string): void;
  /** Returns the last lines, oldest first, each with its time. */
  tail(lines: number): Promise<readonly string[]>;
  /** Calls the listener with every new line until the returned function is called. */
  follow(listener: (line: string) => void): () => void;
  /** Resolves when everything so far is in the file. */
  flush(): Promise<void>;
}

const RING_LINES = 1_000;
const LINE_CHARACTERS = 8_192;
/** How much of the file is read for the last lines. */
const TAIL_BYTES = 256 * 1024;

/** Opens an application's log at `path`; beyond `bytes` the file is rotated to `<path>.1`. */
export function appLog(path: string, bytes: number): AppLog {
  const ring: string[] = [];
  const lines = new EventEmitter().setMaxListeners(0);
  let waiting = '';
  let writing = Promise.resolve();
  let loaded: Promise<void> | undefined;

  const add = (text: string) => {
    const line = `${new Date().toISOString()} ${text.slice(0, LINE_CHARACTERS)}`;
    ring.push(line);
    if (ring.length > RING_LINES) ring.shift();
    lines.emit('line', line);
    if (waiting === '') writing = writing.then(write);
    waiting += `${line}\n`;
  };
  const write = async () => {
    const text = waiting;
    waiting = '';
    // With a full disk the output must still be read, or the application blocks.
    await appendRotating(path, text, bytes).catch(() => undefined);
  };
  const load = async () => {
    const earlier = await lastLines(path, RING_LINES);
    // Lines that arrived while the file was read are in memory already, at the end.
    ring.unshift(...earlier.slice(0, Math.max(0, RING_LINES - ring.length)));
  };
  return {
    capture: (stream, seen) => {
      stream.on('error', () => undefined);
      const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
      lines.on('line', add).on('line', seen);
    },
    note: (line) => add(`platform: ${line}`),
    tail: async (count) => {
      if (ring.length === 0) loaded ??= load();
      await loaded;
      return ring.slice(-count);
    },
    follow: (listener) => {
      lines.on('line', listener);
      return () => lines.off('line', listener);
    },
    flush: () => writing,
  };
}

async function appendRotating(path: string, text: string, limit: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a');
  const { size } = await file.stat().finally(() => file.close());
  if (size > 0 && size + text.length > limit) {
    await rm(`${path}.1`, { force: true });
    await rename(path, `${path}.1`);
  }
  await appendFile(path, text);
}

/** Returns the last lines of a file, none when it does not exist. */
async function lastLines(path: string, count: number): Promise<string[]> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8').split('\n').filter(Boolean);
    // The first line is incomplete unless the whole file was read.
    return lines.slice(size > length ? 1 : 0).slice(-count);
  } finally {
    await file.close();
  }
}
