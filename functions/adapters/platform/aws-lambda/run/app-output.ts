import type { FilteredLogEvent } from '@aws-sdk/client-cloudwatch-logs';
import type { AppOutput, OutputQuery } from '../../../../core/ports/applications.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import type { PrintedLine } from '../../../../core/ports/processes.ts';
import { onAws } from '../../../aws/failures.ts';
import { functionName, logGroupOf } from '../names.ts';
import { keys } from '../table/items.ts';
import {
  CODE,
  eventsSince,
  KEPT_MS,
  LONGER_BY,
  lineOf,
  longer,
  type OutputParts,
  PAUSE_MS,
  type Reading,
} from './log-events.ts';
import { searchOutput } from './search-output.ts';

/** The last lines are looked for in the last minute, then in the four before it, and so on. */
const FIRST_SPAN_MS = 60_000;
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
