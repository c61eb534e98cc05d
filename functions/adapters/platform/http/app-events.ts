import { isObject } from '../../../core/json.ts';
import type { AppEvent, AppEvents } from '../../../core/ports/applications.ts';
import { oneLine } from '../../../core/text.ts';
import { listIn, readLog } from './answers.ts';
import { type PlatformCallOptions, platformCall } from './call.ts';

const TIMEOUT_MS = 8_000;
const MAX_REASON_LENGTH = 400;
/** Events belong to no user; the platform looks at the token alone. */
const NO_USER = 'service';

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
      const events = listIn(body, 'events').flatMap((one) => eventIn(one) ?? []);
      const last = isObject(body) && typeof body.last === 'number' ? body.last : seq;
      return { events: events.sort((one, other) => one.seq - other.seq), last };
    },
  };
}

/** Returns an event; null for one of a kind that later platforms may have. */
function eventIn(body: unknown): AppEvent | null {
  if (!isObject(body)) return null;
  const { seq, user, app, snapshot, state, reason } = body;
  if (!Number.isSafeInteger(seq) || typeof user !== 'string' || typeof app !== 'string') return null;
  if (typeof snapshot !== 'string' || (state !== 'crashed' && state !== 'running')) return null;
  const sentence = typeof reason === 'string' ? oneLine(reason, MAX_REASON_LENGTH) : null;
  return { seq: Number(seq), user, app, snapshot, state, reason: sentence, log: readLog(body) };
}
