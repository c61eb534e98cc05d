import type { Pause } from '../../core/ports/pause.ts';

/** Waits by the process's own timers. */
export const systemPause: Pause = {
  until: (milliseconds, listen) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      const stop = listen(end);
    }),
};
