import { setTimeout } from 'node:timers/promises';
import type { Invoker } from '../invoke/invoker.ts';

/** So many hooks within so many milliseconds are a rush. */
const HOOKS = 5;
const WINDOW = 100;
/** What messages and stream records leave to hooks during a rush: five times what they take. */
const REST = 5;
/** Milliseconds after which a long piece of work, which mostly waits for others, no longer holds up the next. */
const LONGEST = 50;

/**
 * Lets hooks go before deploys. On AWS each function has processors of its own; here all share those of one machine, and
 * a sender gives up after ten seconds, while a deploy may well begin a little later. So while hooks come in a rush, events
 * go one after the other and have a sixth of the time.
 */
export function rightOfWay(functions: Invoker): { readonly forRequests: Invoker; readonly forEvents: Invoker } {
  const hooks: number[] = [];
  const isRush = () => hooks.length === HOOKS && performance.now() - (hooks[0] ?? 0) < WINDOW;
  let lane = Promise.resolve();
  return {
    forRequests: {
      invoke: (name, event) => {
        if (isHook(event)) hooks.push(performance.now());
        if (hooks.length > HOOKS) hooks.shift();
        return functions.invoke(name, event);
      },
    },
    forEvents: {
      invoke: (name, event) => {
        const work = lane.then(() => functions.invoke(name, event));
        lane = lane.then(() => (isRush() ? restAfter(work) : undefined));
        return work;
      },
    },
  };
}

async function restAfter(work: Promise<unknown>): Promise<void> {
  const start = performance.now();
  const ended = work.then(
    () => {},
    () => {},
  );
  await Promise.race([ended, setTimeout(LONGEST)]);
  await setTimeout(REST * (performance.now() - start));
}

/** Of the gateway's events only hooks are posts with a payload. */
function isHook(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'httpMethod' in event && event.httpMethod === 'POST';
}
