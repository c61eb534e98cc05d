import {
  type FilteredLogEvent,
  FilterLogEventsCommand,
  type FilterLogEventsCommandOutput,
} from '@aws-sdk/client-cloudwatch-logs';
import type { AppOutput, OutputQuery } from '../../../../core/ports/applications.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import type { PrintedLine } from '../../../../core/ports/processes.ts';
import { onAws, unless } from '../../../aws/failures.ts';
import { functionName, logGroupOf } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys } from '../table/items.ts';
import { isOfLambda, printedIn } from './app-log.ts';
import { searchOutput } from './search-output.ts';

type OutputParts = Pick<LambdaPlatformParts, 'table' | 'logs' | 'clock' | 'functionPrefix'>;

const CODE = 'request:failed';
/** The last lines are looked for in the last minute, then in the four before it, and so on. */
const FIRST_SPAN_MS = 60_000;
export const LONGER_BY = 4;
export const KEPT_MS = 14 * 24 * 3_600_000;
/** Between two looks at a log that is followed: longer while nothing comes, because all readers of a region share a rate. */
const PAUSE_MS = { first: 2_000, longest: 10_000 };
/** An event can appear in the log some seconds after its time. */
const LATE_MS = 15_000;

export function lambdaAppOutput(parts: OutputParts): AppOutput {
  const ofLog = <T>(app: AppRef, work: (group: string) => T | Promise<T>) =>
    onAws(CODE, `the output of ${app.app}`, async () => {
      const item = await parts.table.read(keys.app(app));
      return item ? work(logGroupOf(functionName(parts.functionPrefix, app))) : null;
    });
  return {
    read: (app, query, signal) => ofLog(app, (group) => output(group, query, { parts, signal })),
    search: (app, query, signal) => ofLog(app, (group) => searchOutput(group, query, { parts, signal })),
  };
}

export interface Reading {
  readonly parts: OutputParts;
  readonly signal: AbortSignal;
}

async function* output(
  group: string,
  { lines, follow }: OutputQuery,
  { parts, signal }: Reading,
): AsyncGenerator<readonly PrintedLine[]> {
  const begin = parts.clock.now();
  const reading = { parts, signal };
  const last = lines > 0 ? await lastEvents(group, lines, reading) : [];
  if (last.length > 0) yield last.map(lineOf);
  if (!follow) return;
  let seen = new Set(last.map(({ eventId = '' }) => eventId));
  let since = begin;
  let pause = PAUSE_MS.first;
  while (!signal.aborted) {
    const asked = parts.clock.now();
    const { events } = await eventsSince(group, since - LATE_MS, reading);
    const fresh = events.filter(({ eventId = '', timestamp = 0 }) => !seen.has(eventId) && timestamp >= begin);
    if (fresh.length > 0) yield fresh.map(lineOf);
    seen = new Set([...events, ...last].map(({ eventId = '' }) => eventId));
    since = asked;
    pause = fresh.length > 0 ? PAUSE_MS.first : longer(pause);
    await parts.clock.sleep(pause, signal);
  }
}

function longer(pauseMs: number): number {
  return Math.min(2 * pauseMs, PAUSE_MS.longest);
}

async function lastEvents(group: string, count: number, reading: Reading): Promise<readonly FilteredLogEvent[]> {
  const { parts } = reading;
  const oldest = Math.max(0, parts.clock.now() - KEPT_MS);
  let last: readonly FilteredLogEvent[] = [];
  // The first span has no end: an event may have a later time than this clock.
  let end: number | undefined;
  let start = parts.clock.now();
  for (let span = FIRST_SPAN_MS; last.length < count && start > oldest; span *= LONGER_BY) {
    start = Math.max(oldest, start - span);
    const { events } = await eventsSince(group, start, reading, { end, most: count - last.length });
    last = [...events, ...last];
    // The end belongs to a span: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
    end = start - 1;
  }
  return last;
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

export function lineOf({ timestamp = 0, message = '', logStreamName = '' }: FilteredLogEvent): PrintedLine {
  return { at: new Date(timestamp).toISOString(), ...printedIn(logStreamName, message.replace(/\r?\n$/, '')) };
}
