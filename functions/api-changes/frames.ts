import type { Frame } from './lines.ts';

/** The reconnection time that browsers are told. */
const RETRY_MS = 2_000;

/** An object per line; an empty line is a heartbeat (https://github.com/ndjson/ndjson-spec). */
export const ndjson: Frame = {
  name: 'ndjson',
  contentType: 'application/x-ndjson',
  start: () => '\n',
  row: (json) => `${json}\n`,
  separator: '',
  heartbeat: '\n',
  end: (last, reason) => (reason ? `${JSON.stringify({ ...reason, last_seq: last })}\n` : ''),
};

/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). An `id` without data moves the
 * browser's cursor and dispatches nothing: a stream that breaks before its first change continues where it started.
 */
export const serverSentEvents: Frame = {
  name: 'sse',
  contentType: 'text/event-stream',
  start: (since) => `retry: ${RETRY_MS}\nid: ${since}\n\n`,
  row: (json, seq) => `id: ${seq}\ndata: ${json}\n\n`,
  separator: '',
  heartbeat: ':\n\n',
  end: (last, reason) => (reason ? `id: ${last}\ndata: ${JSON.stringify({ ...reason, last_seq: last })}\n\n` : ''),
};

/**
 * One JSON document. Whitespace between its parts is insignificant, so line ends serve as heartbeats of a long poll. A
 * poll that times out has no results.
 */
export const results: Frame = {
  name: 'results',
  contentType: 'application/json',
  start: () => '{"results":[\n',
  row: (json) => json,
  separator: ',\n',
  heartbeat: '\n',
  end: (last, reason) => {
    const failure = reason?.code === 'status:changes:fatal' ? { code: reason.code, status: reason.status } : {};
    return `\n],${JSON.stringify({ last_seq: last, ...failure }).slice(1)}\n`;
  },
};
