import type { HttpRequest } from '../api/http.ts';
import type { IncludeDocs } from '../core/entry/views.ts';
import { DeployError } from '../core/errors.ts';
import type { ReadOptions } from '../core/feed/follow.ts';
import { includeDocs, oneOf, wholeNumber } from '../core/parameters.ts';

export interface ChangesQuery extends Pick<ReadOptions, 'mode' | 'heartbeatMs' | 'limit' | 'app'> {
  readonly since: number | 'now';
  readonly docs: IncludeDocs;
  /** Whether the client wants server-sent events. */
  readonly events: boolean;
}

/**
 * API Gateway ends a stream without data for five minutes.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
const MAX_HEARTBEAT_MS = 240_000;
const MIN_HEARTBEAT_MS = 10;

/** Returns the parsed query and headers. Throws `request:bad_parameter`, naming the parameter. */
export function readChangesQuery({ query, headers }: Pick<HttpRequest, 'query' | 'headers'>): ChangesQuery {
  const max = Number.MAX_SAFE_INTEGER;
  const mode = oneOf(query, 'feed', ['continuous', 'longpoll', 'normal']);
  const heartbeatMs = wholeNumber(query, 'heartbeat', { preset: 15_000, from: MIN_HEARTBEAT_MS, to: max });
  return {
    mode,
    docs: includeDocs(query),
    heartbeatMs: Math.min(heartbeatMs, MAX_HEARTBEAT_MS),
    limit: wholeNumber(query, 'limit', { preset: Number.POSITIVE_INFINITY, from: 1, to: max }),
    app: query.app || null,
    events: mode === 'continuous' && acceptsEvents(headers.accept),
    since: lastEventId(headers['last-event-id']) ?? readSince(query),
  };
}

function readSince(query: HttpRequest['query']): number | 'now' {
  if ((query.since ?? 'now') === 'now') return 'now';
  if (!/^\d{1,12}$/.test(query.since ?? '')) {
    throw new DeployError('request:bad_parameter', 'The parameter since must be a whole number, 0 or more, or now.');
  }
  return Number(query.since);
}

/** An `EventSource` reconnects to the same address and sends the id of the last event that it received. */
function lastEventId(text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new DeployError('request:bad_parameter', 'The header Last-Event-ID must be the id of an event of this stream.');
}

function acceptsEvents(accept = ''): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/event-stream' && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  });
}
