import * as v from 'valibot';
import { AppEvent } from '../../../../api/shapes/platform.ts';
import type { AppEvents } from '../../../../core/ports/applications.ts';
import { onAws } from '../../../aws/failures.ts';
import { keys } from './items.ts';
import type { PlatformTable } from './table.ts';

/** The events of all applications are read every minute. */
const MAX_LOG_LINES = 50;
const MAX_LINE_LENGTH = 300;
/** An event may be stored after one with a later number was read. To apply one twice changes nothing. */
const LATE_MS = 30_000;

/** Returns the events of applications in the platform's table: the last one of each, numbered by its time. */
export function tableAppEvents(table: PlatformTable): AppEvents {
  return {
    after: (seq) =>
      onAws('request:failed', 'the events of applications', async () => {
        const all = await crashEvents(table);
        const events = all.filter((event) => event.seq > seq - LATE_MS).sort((one, other) => one.seq - other.seq);
        return { events, last: Math.max(seq, ...all.map((event) => event.seq)) };
      }),
  };
}

/** Returns the last event of each application that has crashed once. */
export async function crashEvents(table: PlatformTable): Promise<readonly AppEvent[]> {
  return (await table.list(keys.events())).flatMap(({ event }) => (v.is(AppEvent, event) ? [event] : []));
}

/**
 * Stores the last event of an application. Its number is its time, or one more than the highest when the clock was set
 * back: what the reader has passed it does not read again.
 */
export async function recordEvent(table: PlatformTable, event: AppEvent): Promise<void> {
  const earlier = (await crashEvents(table)).map(({ seq }) => seq + 1);
  const seq = Math.max(event.seq, ...earlier);
  const log = event.log.slice(-MAX_LOG_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH));
  await table.write(keys.event(event), { event: { ...event, seq, log } });
}
