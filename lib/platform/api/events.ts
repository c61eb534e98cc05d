import { type Route, wholeNumber } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { AppEventStore } from '../store/events.ts';

const LONGEST_WAIT_SECONDS = 55;

/** The call about events of applications, for the deploy service only: they are those of all users. */
export function eventRoutes(events: AppEventStore): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/events',
      ofAllUsers: true,
      run: async (call) => {
        if (call.caller.with !== 'service') throw new HttpError(403, 'Events are for the deploy service only.');
        const since = wholeNumber(call, 'since', { fallback: 0, max: 999_999_999 });
        const seconds = wholeNumber(call, 'wait', { fallback: 0, max: LONGEST_WAIT_SECONDS });
        if (seconds > 0) await events.wait(since, seconds * 1000);
        return { status: 200, body: await events.after(since) };
      },
    },
  ];
}
