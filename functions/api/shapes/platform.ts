import * as v from 'valibot';
import { about, type Sent, text, textOrNull } from './parts.ts';

// What platforms send to the service only; the API does not pass it on like this.

export const AppEvent = about(
  'An application crashes again and again, answers again, or runs with something to note.',
  v.object({
    seq: about('The number of the event, growing.', v.pipe(v.number(), v.safeInteger())),
    user: text,
    app: text,
    snapshot: text,
    state: v.picklist(['crashed', 'running']),
    reason: about('One sentence; null when there is nothing to explain.', textOrNull),
    log: about('The last lines that the application printed.', v.array(text)),
    serves: about('The snapshot that serves in its place; absent when none does.', v.optional(text)),
  }),
);

export type AppEvent = Sent<typeof AppEvent>;
