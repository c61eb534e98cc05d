import type { ReceivedProcesses, UsedHour, UsedMinute } from '../../functions/api/shapes/processes.ts';
import { fieldsOf, listIn } from './lines.ts';

export type Processes = ReceivedProcesses;
export type Process = Processes['processes'][number];
export type CronJob = Processes['cron'][number];

/** How the command of a static site begins; its folder follows. */
export const SITE_COMMAND = 'serve ';

/** Returns the processes that an answer is; null when it is none. */
export function processesIn(value: unknown): Processes | null {
  const { cron, scale, usage, week } = fieldsOf(value);
  if (scale === undefined) return null;
  const counts = Object.entries(fieldsOf(scale)).map(([type, to]) => [type, to === 'auto' ? to : Number(to) || 0]);
  return {
    processes: listIn(value, 'processes').flatMap((one) => processIn(one) ?? []),
    // A service of an earlier version has none.
    cron: (cron === undefined ? [] : listIn(value, 'cron')).flatMap((one) => cronJobIn(one) ?? []),
    scale: Object.fromEntries(counts),
    ...(usage !== undefined && { usage: listIn(value, 'usage').flatMap((one) => usedMinuteIn(one) ?? []) }),
    ...(week !== undefined && { week: listIn(value, 'week').flatMap((one) => usedHourIn(one) ?? []) }),
  };
}

function usedMinuteIn(value: unknown): UsedMinute | null {
  const { at, requests = {}, memory = null } = fieldsOf(value) as Partial<UsedMinute>;
  return typeof at === 'string' ? { at, requests, memory } : null;
}

function usedHourIn(value: unknown): UsedHour | null {
  const { at, requests = 0, errors = 0, memory = null, p50 = null, p99 = null } = fieldsOf(value) as Partial<UsedHour>;
  return typeof at === 'string' ? { at, requests, errors, memory, p50, p99 } : null;
}

function processIn(value: unknown): Process | null {
  const { name, type, state, ...fields } = fieldsOf(value) as Partial<Process>;
  if (typeof name !== 'string' || typeof state !== 'string') return null;
  const { command = '', since = null, restarts = 0, memory = null } = fields;
  return { name, type: type ?? name, command, state, since, restarts, memory };
}

function cronJobIn(value: unknown): CronJob | null {
  const { name, schedule = '', command = '', running = null, last, next = null } = fieldsOf(value) as Partial<CronJob>;
  if (typeof name !== 'string') return null;
  const { at = '', seconds = 0, exit = 0 } = last ?? {};
  return { name, schedule, command, running, last: last ? { at, seconds, exit } : null, next };
}

const MB = 1024 * 1024;

/** Returns an amount of memory in bytes: `85 MB`, `1.5 GB`. */
export function memoryText(bytes: number): string {
  return bytes < 1000 * MB ? `${Math.round(bytes / MB)} MB` : `${(bytes / MB / 1024).toFixed(1)} GB`;
}
