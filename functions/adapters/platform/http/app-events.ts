import * as v from 'valibot';
import { AppEvent } from '../../../api/shapes/platform.ts';
import { isObject } from '../../../core/json.ts';
import type { AppEvents } from '../../../core/ports/applications.ts';
import { oneLine } from '../../../core/text.ts';
import { readLog } from './answers.ts';
import { listed, type PlatformCallOptions, platformCall } from './call.ts';

const TIMEOUT_MS = 8_000;
const MAX_REASON_LENGTH = 400;
/** Events belong to no user; the platform looks at the token alone. */
const NO_USER = 'service';

/** An event of another kind, which later platforms may have, is none. */
const AnsweredEvent = v.object({
  ...AppEvent.entries,
  reason: v.fallback(AppEvent.entries.reason, null),
  log: v.optional(v.unknown()),
});

/** Returns the events of applications behind the platform API. A platform that does not know them answers 404. */
export function httpAppEvents(options: PlatformCallOptions): AppEvents {
  const call = platformCall(options);
  return {
    after: async (seq) => {
      const { status, body } = await call({
        method: 'GET',
        user: NO_USER,
        path: ['events'],
        query: { since: String(seq) },
        code: 'request:failed',
        what: 'the events of applications',
        timeoutMs: TIMEOUT_MS,
        accept: [404],
      });
      if (status === 404) return { events: [], last: seq };
      const events = listed(AnsweredEvent, isObject(body) && body.events).map(({ log, reason, ...event }) => {
        return { ...event, reason: reason && oneLine(reason, MAX_REASON_LENGTH), log: readLog({ log }) };
      });
      const last = isObject(body) && typeof body.last === 'number' ? body.last : seq;
      return { events: events.sort((one, other) => one.seq - other.seq), last };
    },
  };
}
