import * as v from 'valibot';
import { PrintedLine, RunExit, RunPiece } from '../../core/ports/processes.ts';
import { about, count, integer, type Sent, text, textOrNull, time } from '../../core/schema.ts';
import { Entry } from './entry.ts';
import { ErrorCode } from './problems.ts';

/** The numbers of a list that is answered in pages. */
export const page = { total: count, skip: count, limit: v.pipe(integer, v.minValue(1), v.maxValue(100)) };

export const LogPage = about(
  'A page of the log, newest first.',
  v.object({
    ...page,
    notice: about(
      'What applications lack on this machine, and what changes it: one sentence. Absent when there is nothing to say.',
      v.exactOptional(text),
    ),
    rows: v.array(Entry),
  }),
);

export const Changes = about(
  'The answer of `feed=longpoll` and `feed=normal`. `code` and `status` are there when it failed half-way.',
  v.object({
    results: v.array(Entry),
    last_seq: count,
    code: v.exactOptional(v.literal('status:changes:fatal')),
    status: v.exactOptional(integer),
  }),
);

export const StreamEnd = about(
  'The last line of a stream that the service ends. `last_seq` is there in a stream of changes: connect again with `since` set to it.',
  v.object({
    code: v.picklist(['status:changes:timeout', 'status:changes:fatal']),
    status: integer,
    last_seq: v.exactOptional(count),
  }),
);

export const ChangesLine = about('A line of the stream of changes.', v.union([Entry, StreamEnd]));

export const SearchEnd = about(
  'The last line of a search in the stored output. `next` is the `before` with which the next search goes on; null when all was searched.',
  v.object({
    searched: about(
      'The times of the first and the last line that were looked at; null where there was none.',
      v.object({ since: v.nullable(time), until: v.nullable(time) }),
    ),
    next: textOrNull,
  }),
);

export const OutputLine = about(
  'A line of output, the end of a search, or the end of the stream.',
  v.union([PrintedLine, SearchEnd, StreamEnd]),
);

export const RunOutput = about(
  'What a command says: its output, and at last how it has ended. Read on after `status:changes:timeout`.',
  v.union([RunPiece, RunExit, StreamEnd]),
);

export const LastRefused = about(
  'The last call of the webhook that was refused, in the last 24 hours.',
  v.object({
    refused: v.nullable(
      v.object({
        at: time,
        code: ErrorCode,
        detail: text,
        agent: about('The `User-Agent` of the caller.', textOrNull),
      }),
    ),
  }),
);

export { PrintedLine };
export type SearchEnd = Sent<typeof SearchEnd>;
export type LastRefused = Sent<typeof LastRefused>;
export type StreamEnd = Sent<typeof StreamEnd>;
