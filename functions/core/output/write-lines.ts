import { errorRow } from '../errors.ts';
import { type LeasePorts, streamEnd } from '../limits/leased-stream.ts';
import type { StreamLogin } from '../login.ts';
import type { Clock, Trace } from '../ports/system.ts';

/** Headers of a streamed output: proxies must not cache, buffer or transform it. */
const OUTPUT_HEADERS = {
  'content-type': 'application/x-ndjson',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

interface WritePorts {
  readonly clock: Clock;
  readonly trace: Trace;
}

interface LineOptions<Line> {
  readonly login: StreamLogin;
  readonly follow: boolean;
  /** Whether a followed output never ends, so that its end is a failure. */
  readonly endless: boolean;
  /** Returns a line as the reader sees it; default: as it is. */
  readonly shown?: (line: Line) => Line;
}

interface StreamOptions<Line> extends LineOptions<Line> {
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  /** Ends the request to the platform, and with it the stream. */
  readonly stop: AbortController;
  readonly uuid: string;
}

/** An empty line in between keeps proxies from ending a quiet stream. */
const HEARTBEAT_MS = 15_000;

const encoder = new TextEncoder();

/** The part of a request that its output depends on. */
interface OutputRequest {
  readonly uuid: string;
  readonly gone?: AbortSignal;
}

/** Opens an output and returns the answer with its lines. Throws what `open` throws. */
export async function outputAnswer<Line>(
  { uuid, gone }: OutputRequest,
  open: (signal: AbortSignal) => Promise<AsyncIterable<readonly Line[]>>,
  options: LineOptions<Line>,
  ports: WritePorts & Pick<LeasePorts, 'seconds'>,
) {
  const endsAt = streamEnd(ports);
  const stop = new AbortController();
  // Within the second, not within a heartbeat: a one-off command ends when its reader has gone.
  gone?.addEventListener('abort', () => stop.abort(), { once: true });
  const output = await open(stop.signal);
  return { status: 200, headers: OUTPUT_HEADERS, body: writeLines(output, { ...options, endsAt, stop, uuid }, ports) };
}

/**
 * Yields the bytes of an output, a JSON object per line, and asks for no further batch before the reader has taken the
 * last one. Never throws: a failure becomes the last line. When nobody tells `stop` that the reader has left, the request
 * to the platform ends within a heartbeat.
 */
async function* writeLines<Line>(
  output: AsyncIterable<readonly Line[]>,
  { login, follow, endless, shown = (line) => line, endsAt, stop, uuid }: StreamOptions<Line>,
  { clock, trace }: WritePorts,
): AsyncGenerator<Uint8Array, void> {
  const batches = output[Symbol.asyncIterator]();
  let next = batches.next();
  try {
    // The head is sent with the first bytes, for which a quiet program would keep the reader waiting, or of which an
    // output without lines has none.
    yield encoder.encode('\n');
    for (;;) {
      // Also between lines that are always there, and before those that came while the reader did not read.
      if (clock.now() >= endsAt || (await login.hasLapsed())) return yield closing('status:changes:timeout');
      const wakeAt = Math.min(clock.now() + HEARTBEAT_MS, endsAt, login.checkAt);
      const result = await within(next, wakeAt - clock.now(), clock);
      if (result === 'late') {
        yield encoder.encode('\n');
      } else if (result.done) {
        return follow && endless ? yield closing('status:changes:fatal') : undefined;
      } else {
        const lines = result.value.map((line) => `${JSON.stringify(shown(line))}\n`);
        yield encoder.encode(lines.join(''));
        next = batches.next();
      }
    }
  } catch (error) {
    if (stop.signal.aborted) return;
    trace('output failed', { uuid, error });
    yield closing('status:changes:fatal');
  } finally {
    stop.abort();
    // Ignore its late result or failure.
    next.catch(() => {});
  }
}

/** Returns the result, or `late` when it takes longer than the limit. */
async function within<T>(work: Promise<T>, milliseconds: number, clock: Clock): Promise<T | 'late'> {
  const ended = new AbortController();
  const late = clock.sleep(Math.max(0, milliseconds), ended.signal).then(() => 'late' as const);
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}

function closing(code: 'status:changes:timeout' | 'status:changes:fatal'): Uint8Array {
  return encoder.encode(`${JSON.stringify({ code, status: errorRow(code).status })}\n`);
}
