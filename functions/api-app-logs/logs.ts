import { appRef, required } from '../core/app-ref.ts';
import { oneOf, wholeNumber } from '../core/parameters.ts';
import type { HttpRequest } from '../triggers/http.ts';
import type { StreamAnswer } from '../triggers/stream.ts';
import type { LogsPorts } from './ports.ts';
import { write } from './write.ts';

const DEFAULT_LINES = 100;
const MAX_LINES = 1000;

/**
 * `GET /1/apps/<user>/<application>/logs`: what the application has printed, a JSON object per line; with `follow` also what
 * it prints from then on, until the reader leaves or the service ends the stream with a closing line. Throws
 * `request:bad_parameter`, `status:db:not_found` and `request:failed` before the first line.
 */
export function logs(ports: LogsPorts): (request: HttpRequest) => Promise<StreamAnswer> {
  return async (request) => {
    const query = {
      lines: wholeNumber(request.query, 'lines', { preset: DEFAULT_LINES, from: 0, to: MAX_LINES }),
      follow: isSet(request.query),
    };
    const endsAt = ports.clock.now() + ports.seconds * 1000;
    const stop = new AbortController();
    const output = required(await ports.output.read(appRef(request), query, stop.signal), request);
    return {
      status: 200,
      // Proxies must not cache, buffer or transform it.
      headers: {
        'content-type': 'application/x-ndjson',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      },
      body: write(output, { follow: query.follow, endsAt, stop, uuid: request.uuid }, ports),
    };
  };
}

/** `?follow` means `?follow=true`. */
function isSet({ follow }: HttpRequest['query']): boolean {
  return oneOf({ follow: follow === '' ? 'true' : follow }, 'follow', ['false', 'true']) === 'true';
}
