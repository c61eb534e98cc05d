import type { HttpRequest } from '../api/http.ts';
import {
  feed,
  heartbeat,
  includeDocs,
  MAX_HEARTBEAT_MS,
  maxRows,
  oneOf,
  since,
  wholeNumber,
} from '../api/parameters.ts';
import type { IncludeDocs } from '../api/views.ts';
import { badParameter } from '../core/errors.ts';
import type { ReadOptions } from '../core/feed/follow.ts';

export interface ChangesQuery extends Pick<ReadOptions, 'mode' | 'heartbeatMs' | 'limit' | 'app'> {
  readonly since: number | 'now';
  readonly docs: IncludeDocs;
  /** Whether the client wants server-sent events. */
  readonly events: boolean;
}

/** Returns the parsed query and headers. Throws `request:bad_parameter`, naming the parameter. */
export function readChangesQuery({ query, headers }: Pick<HttpRequest, 'query' | 'headers'>): ChangesQuery {
  const mode = oneOf(query, feed);
  return {
    mode,
    docs: oneOf(query, includeDocs),
    heartbeatMs: Math.min(wholeNumber(query, heartbeat), MAX_HEARTBEAT_MS),
    limit: wholeNumber(query, maxRows) ?? Number.POSITIVE_INFINITY,
    app: query.app || null,
    events: mode === 'continuous' && acceptsEvents(headers.accept),
    since: lastEventId(headers['last-event-id']) ?? readSince(query),
  };
}

function readSince(query: HttpRequest['query']): number | 'now' {
  const { [since.name]: text = since.schema.default } = query;
  if (text === 'now') return text;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw badParameter('The parameter since must be a whole number, 0 or more, or now.');
}

/** An `EventSource` reconnects to the same address and sends the id of the last event that it received. */
function lastEventId(text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw badParameter('The header Last-Event-ID must be the id of an event of this stream.');
}

function acceptsEvents(accept = ''): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/event-stream' && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  });
}
