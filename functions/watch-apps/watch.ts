import type { AppEvent, Incident } from '../core/ports/app-event.ts';
import type { AppEventCursor, AppEventPage, AppEvents } from '../core/ports/applications.ts';
import type { AppCron, AppHealth, EndedInstance } from '../core/ports/platform.ts';
import { type ApplyPorts, applyEvent } from './apply.ts';

interface WatchPorts extends ApplyPorts {
  readonly health: AppHealth;
  readonly cron: AppCron;
  readonly events: AppEvents;
  readonly cursor: AppEventCursor;
  /** Records an incident. */
  readonly incident: (incident: Incident) => Promise<void>;
}

/** A run applies no event after that time, so that it ends before its minute does. The next one reads the rest again. */
const RUN_MS = 50_000;

/**
 * Looks after an application of which an instance has `ended`, else after one that has crashed, and begins what is due. Then reads what the
 * platform says about its applications, and applies it to the entries that they run. An event that could not be applied
 * yet is read again by the next run, and so may others be: applying one twice changes nothing. Returns the number of
 * events.
 */
export async function watchApps(ports: WatchPorts, ended: EndedInstance | null = null): Promise<number> {
  const endAt = ports.clock.now() + RUN_MS;
  await look(ports, ended);
  const since = await ports.cursor.read();
  const { events, last } = await newEvents(since, ports.events);
  const isNew = ({ seq }: AppEvent | Incident) => seq > since || last < since;
  let readUntil = last;
  // Those that are read again last: most have been applied.
  for (const event of [...events.filter(isNew), ...events.filter((one) => !isNew(one))]) {
    const isLate = ports.clock.now() >= endAt;
    if (isLate ? isNew(event) : !(await isApplied(event, ports))) readUntil = Math.min(readUntil, event.seq - 1);
  }
  if (readUntil !== since) await ports.cursor.write(readUntil);
  return events.length;
}

/** A failed check does not prevent the events from being applied, nor cron one of crashes, which may take half a minute. */
async function look({ health, cron, trace }: WatchPorts, ended: EndedInstance | null): Promise<void> {
  const failed = (error: unknown) => trace('application not looked after', { ...ended, error });
  if (ended) return health.ended(ended).catch(failed);
  await Promise.all([cron.runDue().catch(failed), health.recheck().catch(failed)]);
}

/** A platform that was set up again counts from 1. */
async function newEvents(since: number, events: AppEvents): Promise<AppEventPage> {
  const page = await events.after(since);
  return page.last < since ? events.after(0) : page;
}

async function isApplied(event: AppEvent | Incident, ports: WatchPorts): Promise<boolean> {
  try {
    if (!('about' in event)) return await applyEvent(event, ports);
    await ports.incident(event);
    return true;
  } catch (error) {
    const { user, app, seq } = event;
    ports.trace('event not applied', { user, app, seq, error });
    return false;
  }
}
