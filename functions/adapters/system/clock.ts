import type { Clock } from '../../core/ports/system.ts';

/** The clock of the operating system and timers of this process. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
    }),
};
