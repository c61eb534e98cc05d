import { setTimeout } from 'node:timers/promises';
import type { Invoker } from './invoker.ts';

/** Milliseconds after a hook within which another one counts as the same rush. */
const RUSH = 10;
/** Milliseconds that a message waits at the most, however long the rush is. */
const PATIENCE = 200;
const PAUSE = 4;

/**
 * Lets hooks go before deploys. On AWS each function has processors of its own; here all share those of one machine, and
 * a sender gives up after ten seconds, while a deploy may well begin a little later.
 */
export function rightOfWay(functions: Invoker): { readonly forRequests: Invoker; readonly forMessages: Invoker } {
  let underWay = 0;
  let last = Number.NEGATIVE_INFINITY;
  const rush = () => performance.now() - last < RUSH || (underWay > 0 && performance.now() - last < PATIENCE);
  return {
    forRequests: {
      invoke: async (name, event) => {
        if (!isHook(event)) return functions.invoke(name, event);
        underWay += 1;
        last = performance.now();
        try {
          return await functions.invoke(name, event);
        } finally {
          underWay -= 1;
        }
      },
    },
    forMessages: {
      invoke: async (name, event) => {
        const end = performance.now() + PATIENCE;
        while (rush() && performance.now() < end) await setTimeout(PAUSE);
        return functions.invoke(name, event);
      },
    },
  };
}

/** Of the gateway's events only hooks are posts with a payload. */
function isHook(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'httpMethod' in event && event.httpMethod === 'POST';
}
