import type { PrintedLine } from '../../../functions/api/shapes/log.ts';
import { type AppLog, plain } from '../../runner/app-log.ts';
import { type Call, endWhenRevoked, isSet, ofApp, type Reply, type Routes, wholeNumber } from '../http/route.ts';
import type { ApiParts } from './parts.ts';

const MOST_BUFFERED_BYTES = 4 * 1024 * 1024;
const NDJSON = 'application/x-ndjson';

/**
 * The route of an application's output: the last lines (`?lines=`, default 200), with `?follow` also new ones until the
 * client disconnects or its login is revoked; with `?process=` those of a process or of all of one type. As NDJSON of `{ at, stream, line }` when the request accepts that, else
 * as plain text.
 */
export function logRoutes({ apps, runners }: Pick<ApiParts, 'apps' | 'runners'>): Routes {
  return {
    'GET /apps/:user/:app/logs': ofApp(apps)(async (call, app) => {
      const reply = await sendLog(call, runners.of(app).log);
      if (isSet(call, 'follow')) endWhenRevoked(call, app, apps);
      return reply;
    }),
  };
}

async function sendLog(call: Call, log: AppLog): Promise<Reply> {
  const { request, response } = call;
  const isWanted = wantedLines(call.query.get('process'));
  const lines = await log.tail(wholeNumber(call, 'lines', { fallback: 200, max: 1_000 }), isWanted);
  const asJson = request.headers.accept?.toLowerCase().includes(NDJSON) ?? false;
  const shown = (line: PrintedLine) => `${asJson ? JSON.stringify(line) : plain(line)}\n`;
  const type = asJson ? NDJSON : 'text/plain; charset=utf-8';
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', vary: 'accept' });
  response.write(lines.map(shown).join(''));
  if (!isSet(call, 'follow')) {
    response.end();
    return 'streamed';
  }
  // The headers are sent now even without lines. No line is lost in between: no output is read in this turn.
  response.flushHeaders();
  const unfollow = log.follow((line) => {
    // Between the end of an answer and its close lines still come, when its client does not read.
    if (!isWanted(line) || response.writableEnded) return;
    // The platform must not buffer the log for a client that does not read.
    if (response.writableLength > MOST_BUFFERED_BYTES) response.destroy();
    else response.write(shown(line));
  });
  response.once('close', unfollow);
  if (response.destroyed) unfollow();
  return 'streamed';
}

/** Returns what tells the lines of a process (`worker.2`), or of all of a type (`worker`); of none in particular, all. */
function wantedLines(process: string | null): (line: PrintedLine) => boolean {
  if (process === null) return () => true;
  return (line) => {
    const name = line.process ?? 'web.1';
    return name === process || name.replace(/\.\d+$/, '') === process;
  };
}
