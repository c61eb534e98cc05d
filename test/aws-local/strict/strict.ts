import type { Lag } from '../emulators/database-process.ts';
import type { Functions } from '../invoke/invoke.ts';
import type { FunctionLogLine } from '../invoke/log-lines.ts';
import type { Template } from '../template/template.ts';
import { requestPriority } from '../tuning/request-priority.ts';
import { DEFAULT_SEED } from './chance.mjs';
import { accountConcurrency } from './concurrency.ts';
import { strictEvents } from './events.ts';
import { hostInIsolates } from './isolates.ts';
import { type StageThrottle, stageThrottle } from './stage-throttle.ts';

/** Options of strict mode. */
export interface Strictness {
  /** Runs functions within the limits of AWS that one machine does not have: "Strict" in the README. */
  readonly strict?: boolean;
  /** Decides what happens by chance then; the same seed makes the same choices. */
  readonly seed?: number;
}

/** Returns the options of the database with which reads of functions lag. */
export function lag({ strict, seed = DEFAULT_SEED }: Strictness): { lag?: Lag } {
  return strict ? { lag: { seed } } : {};
}

/** Returns the options with which each function runs in isolates. */
export function hosts({ strict }: Strictness, template: Template, log: (line: FunctionLogLine) => void) {
  return strict ? { host: hostInIsolates(log, accountConcurrency(template)) } : {};
}

/** Returns the options of the gateway with which the stage throttles. */
export function throttle({ strict }: Strictness, template: Template): { admits?: StageThrottle } {
  return strict ? { admits: stageThrottle(template) } : {};
}

/** Returns the invokers for requests and for events: strict ones, or ones that give requests priority. */
export function invokers({ strict, seed }: Strictness, functions: Functions) {
  return strict ? { forRequests: functions, forEvents: strictEvents(functions, { seed }) } : requestPriority(functions);
}
