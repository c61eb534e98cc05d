import * as v from 'valibot';
import { mapLimit } from '../../../../core/concurrency.ts';
import { AppEvent, firstOf, Incident, SAME_ENTRY_MS } from '../../../../core/ports/app-event.ts';
import type { AppEvents } from '../../../../core/ports/applications.ts';
import type { Clock } from '../../../../core/ports/system.ts';
import { onAws } from '../../../aws/failures.ts';
import { type AppIncident, type EventItem, keys } from './items.ts';
import type { Condition, PlatformTable } from './table.ts';

const MAX_LOG_LINES = 50;
const MAX_LINE_LENGTH = 300;
/** Of many that crash in the same minute the next runs read the rest. As many are read again. */
const MOST_EVENTS = 200;
/** More at once would end after the time that one may take. */
const LINES_AT_ONCE = 20;
/** An event may be stored after one with a later number was read. To apply one twice changes nothing. */
const LATE_MS = 30_000;
/** So long is an event read again that may have been stored late: its lines too, so not for ever. */
const READ_AGAIN_MS = 5 * 60_000;

/**
 * Returns the events of applications in the platform's table: the last one of each, numbered by its time. Those that have
 * been read, of applications that answer again, are removed, because all events are read every minute. The last one of
 * all stays: the next one's number follows it.
 */
export function tableAppEvents(table: PlatformTable, clock: Pick<Clock, 'now'>): AppEvents {
  return {
    after: (seq) =>
      onAws('request:failed', 'the events of applications', async () => {
        const all = await storedEvents(table);
        const lateFrom = Math.max(seq - LATE_MS, clock.now() - READ_AGAIN_MS);
        const ordered = all.toSorted((one, other) => one.seq - other.seq);
        const fresh = ordered.filter((event) => event.seq > seq);
        const last = fresh[MOST_EVENTS - 1]?.seq ?? Math.max(seq, ...all.map((event) => event.seq));
        const again = ordered.filter((event) => event.seq > lateFrom && event.seq <= seq).slice(-MOST_EVENTS);
        const events = [...again, ...fresh.filter((event) => event.seq <= last)];
        const read = all.filter((event) => event.state === 'running' && event.seq <= seq - LATE_MS);
        const isOver = (event: Stored) => !('about' in event) || clock.now() - event.seq > SAME_ENTRY_MS;
        for (const event of read.filter(isOver)) await forget(table, event);
        return { events: await mapLimit(events, LINES_AT_ONCE, (event) => withLog(table, event)), last };
      }),
  };
}

type Stored = EventItem['event'];
const StoredIncident = v.object({ ...Incident.entries, app: v.string() });

async function storedEvents(table: PlatformTable): Promise<readonly Stored[]> {
  const isStored = (event: unknown) => v.is(AppEvent, event) || v.is(StoredIncident, event);
  return (await table.list(keys.events())).flatMap(({ event }) => (isStored(event) ? [event] : []));
}

/** Returns the last event of each application that has crashed, or answers again since a while; without its lines. */
export async function crashEvents(table: PlatformTable): Promise<readonly AppEvent[]> {
  return (await storedEvents(table)).flatMap((event) => ('about' in event ? [] : [event]));
}

/**
 * Stores the last event of an application, and its lines apart. Its number is its time, or one more than the highest when
 * the clock was set back: what the reader has passed it does not read again.
 */
export async function recordEvent(table: PlatformTable, event: AppEvent): Promise<void> {
  const earlier = (await crashEvents(table)).map(({ seq }) => seq + 1);
  await store(table, { ...event, seq: Math.max(event.seq, ...earlier) });
}

/** What an incident is now; what was told of it less than `pauseMs` ago is told at a later look. */
type IncidentNow = Omit<AppIncident, 'first'> & { readonly pauseMs: number };

/** Stores a change of an incident, once: not what is told already, also by another run of the watch at this moment. */
export async function recordIncident(table: PlatformTable, { pauseMs, ...now }: IncidentNow): Promise<void> {
  const key = keys.event(now);
  const { event, at } = (await table.read(key)) ?? {};
  const before = event && 'about' in event ? { ...event, at: event.seq } : undefined;
  if (before && now.seq - before.at < pauseMs) return;
  const first = firstOf({ ...now, at: now.seq, first: `${key.sk} ${now.seq}` }, before);
  if (first === null) return;
  const told = { ...now, first, seq: Math.max(now.seq, (before?.seq ?? 0) + 1) };
  await store(table, told, at === undefined ? { exists: false } : { attribute: 'at', is: at });
}

async function store(table: PlatformTable, event: Stored, condition?: Condition<EventItem>): Promise<void> {
  const log = event.log.slice(-MAX_LOG_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH));
  // First: who reads the event finds them.
  if (log.length > 0) await table.write(keys.eventLog(event), { log });
  await table.write(keys.event(event), { event: { ...event, log: [] }, at: event.seq }, condition);
}

async function withLog(table: PlatformTable, event: Stored): Promise<Stored> {
  if (event.state === 'running') return event;
  const { log = [] } = (await table.read(keys.eventLog(event))) ?? {};
  return { ...event, log: [...log] };
}

/** Unless the application has had another event meanwhile, which may have crashed again with other lines. */
async function forget(table: PlatformTable, event: Stored): Promise<void> {
  await table.remove(keys.event(event), { attribute: 'at', is: event.seq });
}
