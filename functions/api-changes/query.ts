import type { IncludeDocs } from '../core/entry/views.ts';
import { DeployError } from '../core/errors.ts';
import type { FeedMode } from '../core/feed/follow.ts';
import { includeDocs, oneOf, wholeNumber } from '../core/parameters.ts';
import type { HttpRequest } from '../triggers/http.ts';

/** What a request for the changes asks for. */
export interface ChangesQuery {
  readonly since: number | 'now';
  readonly mode: FeedMode;
  readonly docs: IncludeDocs;
  /** Milliseconds. */
  readonly heartbeat: number;
  readonly limit: number;
  readonly app: string | null;
  /** Whether it wants server-sent events. */
  readonly events: boolean;
}

/**
 * The gateway ends a stream that was silent for five minutes.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
const LONGEST_SILENCE_MS = 240_000;
const SHORTEST_SILENCE_MS = 10;

/** Reads query and headers. Throws `request:bad_parameter`, naming the one that cannot be read. */
export function readChangesQuery({ query, headers }: Pick<HttpRequest, 'query' | 'headers'>): ChangesQuery {
  const most = Number.MAX_SAFE_INTEGER;
  const mode = oneOf(query, 'feed', ['continuous', 'longpoll', 'normal']);
  const heartbeat = wholeNumber(query, 'heartbeat', { preset: 15_000, from: SHORTEST_SILENCE_MS, to: most });
  return {
    mode,
    docs: includeDocs(query),
    heartbeat: Math.min(heartbeat, LONGEST_SILENCE_MS),
    limit: wholeNumber(query, 'limit', { preset: Number.POSITIVE_INFINITY, from: 1, to: most }),
    app: query.app || null,
    events: mode === 'continuous' && acceptsEvents(headers.accept),
    since: lastEvent(headers['last-event-id']) ?? readSince(query),
  };
}

function readSince(query: HttpRequest['query']): number | 'now' {
  if ((query.since ?? 'now') === 'now') return 'now';
  if (!/^\d{1,12}$/.test(query.since ?? '')) {
    throw new DeployError('request:bad_parameter', 'The parameter since must be a whole number, 0 or more, or now.');
  }
  return Number(query.since);
}

/** An `EventSource` that reconnects says what it saw last, with the address that it was opened with. */
function lastEvent(text: string | undefined): number | null {
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
