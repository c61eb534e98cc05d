import type { HttpRequest, StreamAnswer } from '../api/http.ts';
import { appRef, required } from '../core/app-ref.ts';
import { type LeasePorts, leased, streamEnd } from '../core/limits/leased-stream.ts';
import { OUTPUT_HEADERS, writeLines } from '../core/output/write-lines.ts';
import { flag, wholeNumber } from '../core/parameters.ts';
import type { AppOutput, OutputQuery } from '../core/ports/applications.ts';
import type { Clock } from '../core/ports/system.ts';

export interface LogsPorts extends LeasePorts {
  readonly output: AppOutput;
  readonly clock: Clock;
}

const DEFAULT_LINES = 100;
const MAX_LINES = 1000;

/**
 * `GET /1/apps/<user>/<application>/logs`: what the application has printed, a JSON object per line; with `follow` also
 * what it prints from then on, until the reader leaves or the service ends the stream with a closing line. Throws
 * `request:bad_parameter`, `status:db:not_found`, `request:failed` and, with too many streams open, `request:throttled`
 * before the first line.
 */
export function logs(ports: LogsPorts): (request: HttpRequest) => Promise<StreamAnswer> {
  const open = async (request: HttpRequest, query: OutputQuery): Promise<StreamAnswer> => {
    const { follow } = query;
    const endsAt = streamEnd(ports);
    const stop = new AbortController();
    request.gone?.addEventListener('abort', () => stop.abort(), { once: true });
    const output = required(await ports.output.read(appRef(request), query, stop.signal), request);
    return {
      status: 200,
      headers: OUTPUT_HEADERS,
      body: writeLines(output, { follow, endless: true, endsAt, stop, uuid: request.uuid }, ports),
    };
  };
  return async (request) => {
    const lines = wholeNumber(request.query, 'lines', { preset: DEFAULT_LINES, from: 0, to: MAX_LINES });
    const follow = flag(request.query, 'follow');
    const { process } = request.query;
    const answer = () => open(request, { lines, follow, ...(process !== undefined && { process }) });
    return follow ? leased(request, ports, answer) : answer();
  };
}
