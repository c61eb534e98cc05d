import { setTimeout } from 'node:timers/promises';
import type { Invoker } from '../invoke/invoker.ts';

/** This many writing requests within the window are a load. */
const LOAD_REQUESTS = 5;
const LOAD_WINDOW_MS = 100;
/** Under load, events pause for this many times the duration of the last one, which leaves them a sixth of the time. */
const PAUSE_FACTOR = 5;
/** A longer event mostly waits for something else; after this time it no longer delays the next one. */
const MAX_EVENT_MS = 50;

/**
 * Invokes functions for requests before those for events. On AWS each invocation has its own processor; here all
 * share one machine, where a client waits for its response and an event can start later. Under a load of writing
 * requests, events run one after the other, with pauses between them.
 */
export function requestPriority(functions: Invoker): { readonly forRequests: Invoker; readonly forEvents: Invoker } {
  const recent: number[] = [];
  const underLoad = () => recent.length === LOAD_REQUESTS && performance.now() - (recent[0] ?? 0) < LOAD_WINDOW_MS;
  let queue = Promise.resolve();
  return {
    forRequests: {
      invoke: (name, event) => {
        if (writes(event)) recent.push(performance.now());
        if (recent.length > LOAD_REQUESTS) recent.shift();
        return functions.invoke(name, event);
      },
    },
    forEvents: {
      invoke: (name, event) => {
        const work = queue.then(() => functions.invoke(name, event));
        queue = queue.then(() => (underLoad() ? pauseAfter(work) : undefined));
        return work;
      },
    },
  };
}

async function pauseAfter(work: Promise<unknown>): Promise<void> {
  const start = performance.now();
  const ended = work.then(
    () => {},
    () => {},
  );
  await Promise.race([ended, setTimeout(MAX_EVENT_MS)]);
  await setTimeout(PAUSE_FACTOR * (performance.now() - start));
}

/** Reads do not count: they are fast, and many clients repeat them. */
function writes(event: unknown): boolean {
  if (typeof event !== 'object' || event === null || !('httpMethod' in event)) return false;
  return event.httpMethod !== 'GET' && event.httpMethod !== 'HEAD';
}
