import type { HttpRequest, StreamAnswer } from '../api/http.ts';
import { failsAs } from '../core/errors.ts';
import type { ReadOptions } from '../core/feed/follow.ts';
import { leased, streamEnd } from '../core/limits/leased-stream.ts';
import { type StreamLogin, streamLogin } from '../core/login.ts';
import { ndjson, results, serverSentEvents } from './frames.ts';
import { Lines } from './lines.ts';
import { type ChangesQuery, readChangesQuery } from './query.ts';
import { type ChangesPorts, write } from './write.ts';

/**
 * `GET /1/status/<user>/changes`: the user's changes after a cursor, as they happen. The head and the first bytes are
 * sent as soon as the start of the stream is known. Throws `request:bad_parameter`, `status:db:query_fail` and, with
 * too many streams open, `request:throttled` before that; a later failure is the last line of the stream.
 */
export function changes(ports: ChangesPorts): (request: HttpRequest) => Promise<StreamAnswer> {
  const lines = new Lines();
  const open = async (request: HttpRequest, asked: ChangesQuery, login: StreamLogin): Promise<StreamAnswer> => {
    const endsAt = streamEnd(ports);
    // Before the first byte: a client that has the head must see every change from then on.
    const last = await ports.log.last(request.user).catch(failsAs('status:db:query_fail', UNREADABLE));
    const options: ReadOptions = {
      ...asked,
      // After a restore of a backup the log has not reached the cursors that its readers have.
      since: asked.since === 'now' ? last : Math.min(asked.since, last),
      endsAt,
      gone: request.gone,
    };
    const frame = frameOf(asked);
    const view = { base: request.base, docs: asked.docs };
    return {
      status: 200,
      // Proxies must not cache, buffer or transform it.
      headers: {
        'content-type': frame.contentType,
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
      body: write({ request, login, last, options, frame, line: lines.in(view, frame) }, ports),
    };
  };
  return async (request) => {
    const asked = readChangesQuery(request);
    const answer = (login: StreamLogin) => open(request, asked, login);
    // A read of what there is waits for nothing, so it holds no function.
    return asked.mode === 'normal' ? answer(streamLogin(request, ports)) : leased(request, ports, answer);
  };
}

function frameOf({ mode, events }: ChangesQuery) {
  if (mode !== 'continuous') return results;
  return events ? serverSentEvents : ndjson;
}

const UNREADABLE = 'The changes could not be read; ask again.';
