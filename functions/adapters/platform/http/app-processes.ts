import type { CronJob, Process, SentProcesses } from '../../../api/shapes/processes.ts';
import type { Said } from '../../../api/shapes/runs.ts';
import { DeployError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { AppProcesses, AppRuns } from '../../../core/ports/applications.ts';
import type { AppRef } from '../../../core/ports/platform.ts';
import { listIn, notUnderstood, readErrorMessage } from './answers.ts';
import { type PlatformCallOptions, platformCall } from './call.ts';
import { linesReader } from './output.ts';

const TIMEOUT_MS = 8_000;
/** It answers when the processes that are too many have ended, or `web` answers. */
const SCALE_TIMEOUT_MS = 25_000;
const REFUSALS = [400, 409];

export function httpAppProcesses(options: PlatformCallOptions): AppProcesses {
  const call = platformCall(options);
  return {
    list: async (app) => {
      const { status, body } = await call({ ...to(app), method: 'GET', timeoutMs: TIMEOUT_MS, accept: [404] });
      return status === 404 ? null : processesIn(body, app);
    },
    scale: async (app, json) => {
      const more = { method: 'PATCH', json, timeoutMs: SCALE_TIMEOUT_MS, accept: [404, ...REFUSALS] } as const;
      const { status, body } = await call({ ...to(app), ...more });
      if (status === 404) return null;
      if (!REFUSALS.includes(status)) return processesIn(body, app);
      const code = status === 409 ? 'request:conflict' : 'request:bad_parameter';
      throw new DeployError(code, readErrorMessage(body) ?? 'The platform refused the numbers without a reason.');
    },
  };
}

function to({ user, app }: AppRef) {
  return {
    user,
    path: ['apps', user, app, 'processes'],
    code: 'request:failed',
    what: `the processes of ${app}`,
  } as const;
}

function processesIn(body: unknown, { app }: AppRef): SentProcesses {
  const processes = listIn(body, 'processes').flatMap((one) => processIn(one) ?? []);
  const scale = isObject(body) && isObject(body.scale) ? Object.entries(body.scale) : null;
  if (scale === null || processes.length < listIn(body, 'processes').length) {
    throw notUnderstood(`the processes of ${app}`);
  }
  const counts = scale.filter(
    (one): one is [string, number | 'auto'] => typeof one[1] === 'number' || one[1] === 'auto',
  );
  // A platform of an earlier version has none.
  const cron = listIn(body, 'cron').flatMap((one) => cronJobIn(one) ?? []);
  return { processes, cron, scale: Object.fromEntries(counts) };
}

const STATES = ['starting', 'running', 'asleep', 'restarting', 'crashed', 'stopped'] as const;

function processIn(value: unknown): Process | null {
  if (!isObject(value)) return null;
  const { name, type, command, since, restarts, memory } = value;
  const state = STATES.find((one) => one === value.state);
  if (typeof name !== 'string' || typeof type !== 'string' || typeof command !== 'string' || !state) return null;
  const numbers = {
    restarts: typeof restarts === 'number' ? restarts : 0,
    memory: typeof memory === 'number' ? memory : null,
  };
  return { name, type, command, state, since: typeof since === 'string' ? since : null, ...numbers };
}

function cronJobIn(value: unknown): CronJob | null {
  if (!isObject(value)) return null;
  const { name, schedule, command } = value;
  if (typeof name !== 'string' || typeof schedule !== 'string' || typeof command !== 'string') return null;
  const last = isObject(value.last) ? value.last : {};
  const { at, seconds, exit } = last;
  const hasRun = typeof at === 'string' && typeof seconds === 'number' && typeof exit === 'number';
  const timeOf = (time: unknown) => (typeof time === 'string' ? time : null);
  const times = { running: timeOf(value.running), next: timeOf(value.next) };
  return { name, schedule, command, ...times, last: hasRun ? { at, seconds, exit } : null };
}

const RUN_TIMEOUT_MS = 20_000;
const RUN_REFUSALS = { 400: 'request:bad_parameter', 409: 'request:conflict', 429: 'request:throttled' } as const;
const accept = [404, ...Object.keys(RUN_REFUSALS).map(Number)];

export function httpAppRuns(options: PlatformCallOptions): AppRuns {
  const call = platformCall(options);
  const read = linesReader(options, saidIn);
  const to = ({ user, app }: AppRef, ...more: readonly string[]) => {
    const path = ['apps', user, app, 'runs', ...more];
    return { user, path, code: 'request:failed', timeoutMs: RUN_TIMEOUT_MS, what: `the command in ${app}` } as const;
  };
  return {
    start: async (app, json) => {
      const { status, body } = await call({ ...to(app), method: 'POST', json, accept });
      if (status === 404) return null;
      if (status >= 400) throw notRun(status, body);
      // A platform of an earlier version has no terminals.
      if (isObject(body) && typeof body.id === 'string') return { id: body.id, terminal: body.terminal === true };
      throw notUnderstood('the start of a command');
    },
    read: ({ user, app }, run, signal) => {
      const path = ['apps', user, app, 'runs', run];
      return read({ user, path, what: `the command in ${app}` }, signal);
    },
    write: async (app, run, json) => {
      const { status, body } = await call({ ...to(app, run), method: 'POST', json, accept });
      if (status >= 400 && status !== 404) throw notRun(status, body);
      return status !== 404;
    },
  };
}

function notRun(status: number, body: unknown): DeployError {
  const code = RUN_REFUSALS[status as keyof typeof RUN_REFUSALS];
  const detail = readErrorMessage(body) ?? 'The platform refused the command without a reason.';
  return new DeployError(code, detail, status === 429 ? { retryAfter: 1 } : {});
}

function saidIn(value: unknown): Said | null {
  if (!isObject(value)) return null;
  const { stream, data, exit, reason } = value;
  if (typeof exit === 'number') return { exit, reason: typeof reason === 'string' ? reason : null };
  return (stream === 'stdout' || stream === 'stderr') && typeof data === 'string' ? { stream, data } : null;
}
