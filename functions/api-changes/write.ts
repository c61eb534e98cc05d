import type { View } from '../core/entry/views.ts';
import { errorRow } from '../core/errors.ts';
import { type FeedEvent, follow, type Reading } from '../core/feed/follow.ts';
import type { Change } from '../core/ports/log-reader.ts';
import type { Ending, Frame, Lines } from './lines.ts';
import type { ChangesPorts } from './ports.ts';

/** A stream to be written. */
export interface Writing {
  readonly user: string;
  readonly uuid: string;
  /** Number of the user's last change when the request came. */
  readonly last: number;
  readonly reading: Reading;
  readonly frame: Frame;
  readonly view: View;
  readonly lines: Lines;
}

const encoder = new TextEncoder();

/**
 * The bytes of a stream, made when they are asked for: a client that does not read has nothing read for it either. Never
 * throws: a failure is told in the last line.
 */
export async function* write(writing: Writing, ports: ChangesPorts): AsyncGenerator<Uint8Array, void> {
  const { user, uuid, reading, frame } = writing;
  const feed = ports.feeds.enter(user, writing.last);
  let last = reading.since;
  try {
    yield encoder.encode(frame.start(reading.since));
    let isFirst = true;
    for await (const event of follow(feed, reading, ports)) {
      last = event.last;
      if (event.kind === 'changes') yield* rows(event.changes, isFirst, writing);
      else yield* nonEmpty(encoder.encode(sign(event, frame)));
      isFirst &&= event.kind !== 'changes';
    }
  } catch (error) {
    ports.trace('changes failed', { uuid, error });
    yield encoder.encode(frame.end(last, ending('status:changes:fatal')));
  } finally {
    ports.feeds.leave(user, feed);
  }
}

function sign({ kind, last }: FeedEvent, frame: Frame): string {
  if (kind === 'quiet') return frame.quiet;
  return frame.end(last, kind === 'timeout' ? ending('status:changes:timeout') : null);
}

/** Bytes of a piece: small writes cost more than their bytes, large ones are what a slow reader has to hold. */
const PIECE = 32 * 1024;

/** The rows of a batch in pieces, made one after the other as they are asked for. */
function* rows(changes: readonly Change[], isFirst: boolean, { frame, view, lines }: Writing): Generator<Uint8Array> {
  const separator = nonEmpty(encoder.encode(frame.separator));
  let parts: Uint8Array[] = [];
  let size = 0;
  for (const [place, change] of changes.entries()) {
    const line = lines.line(change, view, frame);
    parts.push(...(isFirst && place === 0 ? [line] : [...separator, line]));
    size += line.byteLength;
    if (size < PIECE) continue;
    yield joined(parts);
    parts = [];
    size = 0;
  }
  yield* nonEmpty(joined(parts));
}

/** An empty piece would be a write of nothing. */
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
