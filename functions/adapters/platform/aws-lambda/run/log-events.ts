import {
  type FilteredLogEvent,
  FilterLogEventsCommand,
  type FilterLogEventsCommandOutput,
} from '@aws-sdk/client-cloudwatch-logs';
import type { PrintedLine } from '../../../../core/ports/processes.ts';
import { onAws, unless } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { isOfLambda, printedIn } from './app-log.ts';

export type OutputParts = Pick<LambdaPlatformParts, 'table' | 'logs' | 'clock' | 'functionPrefix'>;

/** Of an error when the log cannot be read. */
export const CODE = 'request:failed';
/** A log is read backwards by spans, each of which is so many times as long as the one before. */
export const LONGER_BY = 4;
/** The log of an application is kept for so long. */
export const KEPT_MS = 14 * 24 * 3_600_000;
/** Between two looks at a log that is followed: longer while nothing comes, because all readers of a region share a rate. */
export const PAUSE_MS = { first: 2_000, longest: 10_000 };

export interface Reading {
  readonly parts: OutputParts;
  readonly signal: AbortSignal;
}

/** Returns the pause after this one. */
export function longer(pauseMs: number): number {
  return Math.min(2 * pauseMs, PAUSE_MS.longest);
}

interface Span {
  /** Milliseconds since 1970; undefined: no end. */
  readonly end?: number | undefined;
  /** The number of the last events that are kept; an application may have printed millions. */
  readonly most?: number;
  /** The number of pages after which the reading is cut. */
  readonly pages?: number;
}

interface EventsOfSpan {
  readonly events: readonly FilteredLogEvent[];
  readonly pages: number;
  /** Whether later events were not read. */
  readonly isCut: boolean;
}

/** Returns the events from a time on, oldest first; none when the log does not exist. */
export async function eventsSince(
  logGroupName: string,
  startTime: number,
  reading: Reading,
  { end, most = Number.POSITIVE_INFINITY, pages: mostPages = Number.POSITIVE_INFINITY }: Span = {},
): Promise<EventsOfSpan> {
  const all: FilteredLogEvent[] = [];
  let nextToken: string | undefined;
  let pages = 0;
  do {
    pages += 1;
    const filter = new FilterLogEventsCommand({
      logGroupName,
      startTime: Math.max(0, startTime),
      ...(end !== undefined && { endTime: end }),
      ...(nextToken && { nextToken }),
    });
    const page = await onAws(CODE, 'the output of the application', () =>
      unless('ResourceNotFoundException', patiently(filter, reading)),
    );
    all.push(...(page?.events ?? []).filter(({ message = '' }) => !isOfLambda(message)));
    all.splice(0, Math.max(0, all.length - most));
    nextToken = page?.nextToken;
  } while (nextToken && pages < mostPages);
  return { events: all, pages, isCut: nextToken !== undefined };
}

/** Asks again where the rate of the region is used up, which the SDK gives up after some tries; until nobody reads any more. */
async function patiently(
  filter: FilterLogEventsCommand,
  { parts, signal }: Reading,
): Promise<FilterLogEventsCommandOutput> {
  for (let pause = PAUSE_MS.first; ; pause = longer(pause)) {
    try {
      return await parts.logs.send(filter);
    } catch (error) {
      if (signal.aborted || !(error instanceof Error) || error.name !== 'ThrottlingException') throw error;
      await parts.clock.sleep(pause, signal);
    }
  }
}

/** Returns an event as a line of the output. */
export function lineOf({ timestamp = 0, message = '', logStreamName = '' }: FilteredLogEvent): PrintedLine {
  return { at: new Date(timestamp).toISOString(), ...printedIn(logStreamName, message.replace(/\r?\n$/, '')) };
}
