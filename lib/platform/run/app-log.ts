import { EventEmitter } from 'node:events';
import { appendFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { hasCode } from '../../processes/error-code.ts';

/** The output of one application: kept in memory for its last lines and in a file for more. */
export interface AppLog {
  /** Drains a stream of the application's for as long as it is open, whoever reads the log; `seen` gets each line too. */
  take(stream: Readable, seen: (line: string) => void): void;
  /** Adds a line of the platform's own: started, crashed, stopped. */
  note(line: string): void;
  /** The last lines, oldest first, each with its time. */
  tail(lines: number): Promise<readonly string[]>;
  /** Calls back for every new line until the returned function is called. */
  follow(listener: (line: string) => void): () => void;
  /** Resolves when everything so far is in the file. */
  flush(): Promise<void>;
}

const ringLines = 1_000;
const lineLength = 8_192;

/** Opens an application's log at `path`; beyond `bytes` the file is rotated to `<path>.1`. */
export function appLog(path: string, bytes: number): AppLog {
  const ring: string[] = [];
  const lines = new EventEmitter().setMaxListeners(0);
  let waiting = '';
  let writing = Promise.resolve();
  let loaded: Promise<void> | undefined;

  const add = (text: string) => {
    const line = `${new Date().toISOString()} ${text.slice(0, lineLength)}`;
    ring.push(line);
    if (ring.length > ringLines) ring.shift();
    lines.emit('line', line);
    if (waiting === '') writing = writing.then(write);
    waiting += `${line}\n`;
  };
  const write = async () => {
    const text = waiting;
    waiting = '';
    // A full disk must not stop the application from being drained.
    await appendRotating(path, text, bytes).catch(() => undefined);
  };
  const load = async () => {
    const earlier = await lastLines(path, ringLines);
    // What came in while the file was read is in memory already, at the end.
    ring.unshift(...earlier.slice(0, Math.max(0, ringLines - ring.length)));
  };
  return {
    take: (stream, seen) => {
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

/** The last lines of a file, from its last 256 KiB; none when there is no file. */
async function lastLines(path: string, count: number): Promise<string[]> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const length = Math.min(size, 256 * 1024);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8').split('\n').filter(Boolean);
    // The first line is cut off unless the whole file was read.
    return lines.slice(size > length ? 1 : 0).slice(-count);
  } finally {
    await file.close();
  }
}
