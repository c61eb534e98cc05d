import type { HttpRequest } from '../api/http.ts';
import { errorRow } from '../core/errors.ts';
import type { Feeds } from '../core/feed/feeds.ts';
import { type FeedEvent, follow, type ReadOptions } from '../core/feed/follow.ts';
import type { LeasePorts } from '../core/limits/leased-stream.ts';
import type { StreamLogin } from '../core/login.ts';
import type { Change, LogReader } from '../core/ports/log.ts';
import type { Clock } from '../core/ports/system.ts';
import type { Ending, Frame } from './lines.ts';

export interface ChangesPorts extends LeasePorts {
  readonly log: Pick<LogReader, 'last'>;
  readonly feeds: Feeds;
  readonly clock: Clock;
}

interface StreamRequest {
  readonly request: Pick<HttpRequest, 'user' | 'uuid'>;
  readonly login: StreamLogin;
  /** Number of the user's last change when the request was received. */
  readonly last: number;
  readonly options: ReadOptions;
  readonly frame: Frame;
  readonly line: (change: Change) => Uint8Array;
}

const encoder = new TextEncoder();

/**
 * Yields the bytes of a stream. Nothing is read from the log until the client has read what came before. Never throws:
 * a failure becomes the last line.
 */
export async function* write(stream: StreamRequest, ports: ChangesPorts): AsyncGenerator<Uint8Array, void> {
  const { options, frame, login } = stream;
  const { user, uuid } = stream.request;
  const feed = ports.feeds.acquire(user, stream.last);
  let last = options.since;
  try {
    yield encoder.encode(frame.start(options.since));
    let isFirst = true;
    for await (const event of follow(feed, options, { clock: ports.clock, login })) {
      last = event.last;
      if (event.kind === 'changes') yield* rows(event.changes, isFirst, stream);
      else yield* nonEmpty(encoder.encode(textOf(event, frame)));
      isFirst &&= event.kind !== 'changes';
    }
  } catch (error) {
    ports.trace('changes failed', { uuid, error });
    yield encoder.encode(frame.end(last, ending('status:changes:fatal')));
  } finally {
    ports.feeds.release(user, feed);
  }
}

function textOf({ kind, last }: FeedEvent, frame: Frame): string {
  if (kind === 'heartbeat') return frame.heartbeat;
  return frame.end(last, kind === 'timeout' ? ending('status:changes:timeout') : null);
}

/**
 * Size from which a piece is written: small writes are slow, and a large piece stays in memory while its reader is
 * slow.
 */
const PIECE_MIN_BYTES = 32 * 1024;

function* rows(
  changes: readonly Change[],
  isFirst: boolean,
  { frame, line: lineOf }: StreamRequest,
): Generator<Uint8Array> {
  const [only] = changes;
  // The fast path for readers that follow closely, of which a change has hundreds.
  if (only && changes.length === 1 && (isFirst || frame.separator === '')) return yield lineOf(only);
  const separator = nonEmpty(encoder.encode(frame.separator));
  let parts: Uint8Array[] = [];
  let size = 0;
  for (const [index, change] of changes.entries()) {
    const line = lineOf(change);
    parts.push(...(isFirst && index === 0 ? [line] : [...separator, line]));
    size += line.byteLength;
    if (size < PIECE_MIN_BYTES) continue;
    yield joined(parts);
    parts = [];
    size = 0;
  }
  yield* nonEmpty(joined(parts));
}

/** An empty piece would be an empty write. */
function nonEmpty(piece: Uint8Array): Uint8Array[] {
  return piece.byteLength > 0 ? [piece] : [];
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function ending(code: Ending['code']): Ending {
  return { code, status: errorRow(code).status };
}
