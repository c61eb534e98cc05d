import type { FilteredLogEvent } from '@aws-sdk/client-cloudwatch-logs';
import { badParameter } from '../../../../core/errors.ts';
import { hasText } from '../../../../core/output/has-text.ts';
import type { OutputFound, OutputSearch } from '../../../../core/ports/applications.ts';
import { eventsSince, KEPT_MS, LONGER_BY, lineOf, type Reading } from './log-events.ts';

/** What one search asks for: pages of the log, of up to 10,000 events each. All readers of a region share a rate. */
const MOST_PAGES = 20;
/** A span with more pages is divided: the log is read forwards, and its newest lines are wanted. */
const PAGES_OF_SPAN = 4;
const FIRST_SPAN_MS = 3_600_000;
const SHORTEST_SPAN_MS = 1_000;

/**
 * Searches a log span by span, from `before`, a time, back to the beginning of what is kept. The text is compared here: the patterns
 * of CloudWatch tell cases apart.
 */
export async function searchOutput(
  group: string,
  { text, lines, before }: OutputSearch,
  reading: Reading,
): Promise<OutputFound> {
  if (before !== undefined && !/^\d{1,15}$/.test(before)) {
    throw badParameter('The parameter before must be the `next` of an earlier search.');
  }
  const now = reading.parts.clock.now();
  const oldest = Math.max(0, now - KEPT_MS);
  const matches = hasText(text);
  const found: FilteredLogEvent[] = [];
  const until = before === undefined ? now : Number(before);
  let start = until;
  let span = FIRST_SPAN_MS;
  for (let pages = 0; start > oldest && pages < MOST_PAGES && found.length < lines; ) {
    const from = Math.max(oldest, start - span);
    // Without an end at first: an event may have a later time than this clock.
    const end = start === now ? undefined : start - 1;
    const read = await eventsSince(group, from, reading, { end, pages: mostPages(span) });
    pages += read.pages;
    if (read.isCut && span > SHORTEST_SPAN_MS) {
      span = Math.max(SHORTEST_SPAN_MS, span / LONGER_BY ** 2);
      continue;
    }
    const newest = newestOf(read.events.filter(({ message = '' }) => matches(message)).reverse(), lines - found.length);
    found.push(...newest);
    start = found.length < lines ? from : (newest.at(-1)?.timestamp ?? from);
    span *= LONGER_BY;
  }
  return {
    lines: found.map(lineOf),
    searched: { since: new Date(start).toISOString(), until: new Date(until).toISOString() },
    next: start > oldest ? String(start) : null,
  };
}

function mostPages(spanMs: number): number {
  return spanMs > SHORTEST_SPAN_MS ? PAGES_OF_SPAN : MOST_PAGES;
}

/** Returns the first of these, and those of the same millisecond as the last one: the next search begins before it. */
function newestOf(events: readonly FilteredLogEvent[], count: number): readonly FilteredLogEvent[] {
  const last = events[count - 1]?.timestamp;
  return events.filter(({ timestamp }, index) => index < count || timestamp === last);
}
