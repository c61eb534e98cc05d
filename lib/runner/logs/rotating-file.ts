import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../../files/errors.ts';

const TAIL_BYTES = 256 * 1024;

/**
 * Returns a file of lines at `path`, readable by its owner only. Before it would have more than `limitBytes`, it becomes
 * `<path>.1`, and the one before it is removed. What cannot be written, with a full disk for instance, is dropped:
 * the programs whose output it is must not wait for it.
 */
export function rotatingFile(path: string, limitBytes: number) {
  let lines: string[] = [];
  let waiting = 0;
  let writing = Promise.resolve();
  const write = async () => {
    const batch = lines;
    lines = [];
    for (const part of parts(batch, limitBytes)) await appendRotating(path, part, limitBytes).catch(() => undefined);
    waiting -= batch.reduce((sum, line) => sum + line.length, 0);
  };
  return {
    /** Adds a line; it is written in the background, in order. */
    append(line: string) {
      if (lines.length === 0) writing = writing.then(write);
      lines.push(line);
      waiting += line.length;
    },
    /** Characters that are not written yet. */
    get waiting() {
      return waiting;
    },
    /** Resolves when everything so far is in the file, or could not be written. */
    flushed: () => writing,
    /** Returns the last lines, of 256 KiB at most of each of the two files; none when there is no file. */
    lastLines: (count: number) => {
      // Not while a line is written, of which a part would be read.
      const read = writing.then(() => lastLines([path, `${path}.1`], count));
      writing = read.then(
        () => undefined,
        () => undefined,
      );
      return read;
    },
  };
}

/** Returns the lines in parts of at most `limitBytes`; a longer line is cut. */
function* parts(lines: readonly string[], limitBytes: number): Generator<Buffer> {
  let part: Buffer[] = [];
  let bytes = 0;
  for (const line of lines) {
    const whole = Buffer.from(`${line}\n`);
    const next = whole.length <= limitBytes ? whole : whole.subarray(0, limitBytes);
    if (bytes + next.length > limitBytes) {
      yield Buffer.concat(part);
      part = [];
      bytes = 0;
    }
    part.push(next);
    bytes += next.length;
  }
  yield Buffer.concat(part);
}

async function appendRotating(path: string, part: Buffer, limitBytes: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a', 0o600);
  try {
    const { size } = await file.stat();
    if (size + part.length <= limitBytes) return await file.writeFile(part);
  } finally {
    await file.close();
  }
  await rename(path, `${path}.1`);
  const fresh = await open(path, 'a', 0o600);
  await fresh.writeFile(part).finally(() => fresh.close());
}

/** Returns the last lines of files, of which each goes on where the next one in the list ends. */
async function lastLines([path, ...earlier]: readonly string[], count: number): Promise<string[]> {
  if (path === undefined || count <= 0) return [];
  const file = await open(path, 'r').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (!file) return lastLines(earlier, count);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8').split('\n').filter(Boolean);
    // The first line is incomplete unless the whole file was read.
    if (size > length) return lines.slice(1).slice(-count);
    return [...(await lastLines(earlier, count - lines.length)), ...lines.slice(-count)];
  } finally {
    await file.close();
  }
}
