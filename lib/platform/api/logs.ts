import type { PrintedLine } from '../../../functions/api/shapes/log.ts';
import { plain } from '../../runner/logs/app-log.ts';
import { type Call, endWhenRemoved, isSet, ofApp, type Reply, type Routes, wholeNumber } from '../http/route.ts';
import type { Runner } from '../runner/runners.ts';
import type { ApiParts } from './parts.ts';

const MOST_BUFFERED_BYTES = 4 * 1024 * 1024;
const NDJSON = 'application/x-ndjson';

/**
 * The route of an application's output: the last lines (`?lines=`, default 200), with `?follow` also new ones until the
 * client disconnects or the application is removed; with `?process=` those of a process or of all of one type. As NDJSON of `{ at, stream, line }` when the request accepts that, else
 * as plain text.
 */
export function logRoutes({ apps, runners }: Pick<ApiParts, 'apps' | 'runners'>): Routes {
  return {
    'GET /apps/:user/:app/logs': ofApp(apps)(async (call, app) => {
      if (isSet(call, 'follow')) endWhenRemoved(call, app, apps);
      return sendLog(call, runners.of(app));
    }),
  };
}

async function sendLog(call: Call, runner: Runner): Promise<Reply> {
  const { request, response, query } = call;
  const process = query.get('process');
  const lines = wholeNumber(call, 'lines', { fallback: 200, max: 1_000 });
  const left = new AbortController();
  response.once('close', () => left.abort());
  const asked = { lines, follow: isSet(call, 'follow'), ...(process !== null && { process }) };
  const asJson = request.headers.accept?.toLowerCase().includes(NDJSON) ?? false;
  const shown = (line: PrintedLine) => `${asJson ? JSON.stringify(line) : plain(line)}\n`;
  const type = asJson ? NDJSON : 'text/plain; charset=utf-8';
  const printed = await runner.logs(asked, left.signal);
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', vary: 'accept' });
  // The headers are sent now even without lines.
  response.flushHeaders();
  for await (const some of printed) {
    // Between the end of an answer and its close lines still come, when its client does not read.
    if (response.writableEnded) break;
    // The platform must not buffer the log for a client that does not read.
    if (response.writableLength > MOST_BUFFERED_BYTES) response.destroy();
    else response.write(some.map(shown).join(''));
  }
  response.end();
  return 'streamed';
}
