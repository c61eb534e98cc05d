import { lineMasker } from '../core/entry/mask.ts';
import { errorRow } from '../core/errors.ts';
import type { OutputLine } from '../core/ports/apps/app-output.ts';
import type { BuildLogPorts } from './ports.ts';

/** How a stream is written. */
export interface StreamOptions {
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  /** Ends the request to the platform. */
  readonly stop: AbortController;
  readonly uuid: string;
}

/** An empty line in between keeps proxies from ending a quiet stream. */
const HEARTBEAT_MS = 15_000;

const encoder = new TextEncoder();

/**
 * Yields the bytes of a stream, and asks for no further batch before the reader has taken the last one. Never throws: a
 * failure becomes the last line. When the reader has left, the request to the platform ends within a heartbeat.
 */
export async function* write(
  lines: AsyncIterable<readonly OutputLine[]>,
  { endsAt, stop, uuid }: StreamOptions,
  { clock, trace }: BuildLogPorts,
): AsyncGenerator<Uint8Array, void> {
  const mask = lineMasker();
  const batches = lines[Symbol.asyncIterator]();
  let next = batches.next();
  try {
    // The head is sent with the first bytes, which a quiet build may keep waiting for.
    yield encoder.encode('\n');
    for (;;) {
      const result = await within(next, Math.min(HEARTBEAT_MS, endsAt - clock.now()), clock);
      if (result === 'late') {
        if (clock.now() >= endsAt) return yield closing('status:changes:timeout');
        yield encoder.encode('\n');
      } else {
        if (result.done) return;
        const text = result.value.map((line) => `${JSON.stringify({ ...line, line: mask(line.line) })}\n`).join('');
        yield encoder.encode(text);
        next = batches.next();
      }
    }
  } catch (error) {
    trace('build log failed', { uuid, error });
    yield closing('status:changes:fatal');
  } finally {
    stop.abort();
    // What it still had to say is of no interest.
    next.catch(() => {});
  }
}

/** Returns what comes within so many milliseconds, or `late`. */
async function within<T>(work: Promise<T>, milliseconds: number, clock: BuildLogPorts['clock']): Promise<T | 'late'> {
  const settled = new AbortController();
  const late = clock.sleep(Math.max(0, milliseconds), settled.signal).then(() => 'late' as const);
  try {
    return await Promise.race([work, late]);
  } finally {
    settled.abort();
  }
}

function closing(code: 'status:changes:timeout' | 'status:changes:fatal'): Uint8Array {
  return encoder.encode(`${JSON.stringify({ code, status: errorRow(code).status })}\n`);
}
