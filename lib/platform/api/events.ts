import { ok, type Routes, wholeNumber } from '../http/route.ts';
import type { ApiParts } from './parts.ts';

const LONGEST_WAIT_SECONDS = 55;

/** The call about events of applications: they are those of all users. */
export function eventRoutes({ events }: ApiParts): Routes {
  return {
    'GET /events': async (call) => {
      const since = wholeNumber(call, 'since', { fallback: 0, max: 999_999_999 });
      const seconds = wholeNumber(call, 'wait', { fallback: 0, max: LONGEST_WAIT_SECONDS });
      if (seconds > 0) await events.wait(since, seconds * 1000);
      return ok(await events.after(since));
    },
  };
}
