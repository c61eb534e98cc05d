import { jsonBody } from '../http/json-body.ts';
import { appOf, type Call, isSet, type Reply, type Route, wholeNumber } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { Runner } from '../run/runner.ts';
import type { Runners } from '../run/runners.ts';
import type { Apps } from '../store/apps.ts';
import { checkedSnapshot } from '../store/names.ts';
import type { AppView } from './app-view.ts';

const MOST_BUFFERED_BYTES = 1_000_000;

/** What the process routes need. */
export interface ProcessRouteParts {
  readonly apps: Apps;
  readonly runners: Runners;
  readonly view: AppView;
  readonly bodyBytes: number;
}

/** The routes of running applications: start, stop, restart, logs. Start and restart answer when the application does. */
export function processRoutes(parts: ProcessRouteParts): readonly Route[] {
  const { apps, runners, view } = parts;
  const path = '/apps/:user/:app';
  return [
    {
      method: 'POST',
      path: `${path}/start`,
      run: async (call) => {
        const { active } = await apps.get(appOf(call));
        const { snapshot = active } = await jsonBody(call.request, parts.bodyBytes);
        if (typeof snapshot !== 'string')
          throw new HttpError(400, 'The field snapshot is missing: which snapshot to start.');
        await runners.of(appOf(call)).start(checkedSnapshot(snapshot));
        return { status: 200, body: await view(appOf(call)) };
      },
    },
    {
      method: 'POST',
      path: `${path}/restart`,
      run: async (call) => {
        await apps.get(appOf(call));
        await runners.of(appOf(call)).restart();
        return { status: 200, body: await view(appOf(call)) };
      },
    },
    {
      method: 'POST',
      path: `${path}/stop`,
      run: async (call) => {
        await apps.get(appOf(call));
        await runners.of(appOf(call)).stop();
        return { status: 200, body: await view(appOf(call)) };
      },
    },
    {
      method: 'GET',
      path: `${path}/logs`,
      run: async (call) => {
        await apps.get(appOf(call));
        return sendLog(call, runners.of(appOf(call)));
      },
    },
  ];
}

/** Sends the last lines as plain text (`?lines=`, default 200); with `?follow` also new ones, until the client disconnects. */
async function sendLog(call: Call, { log }: Runner): Promise<Reply> {
  const { response } = call;
  const lines = await log.tail(wholeNumber(call, 'lines', { fallback: 200, max: 1_000 }));
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.write(lines.map((line) => `${line}\n`).join(''));
  if (!isSet(call, 'follow')) {
    response.end();
    return 'streamed';
  }
  // The headers are sent now even without lines. No line is lost in between: no output is read in this turn.
  response.flushHeaders();
  const unfollow = log.follow((line) => {
    // The platform must not buffer the log for a client that does not read.
    if (response.writableLength > MOST_BUFFERED_BYTES) response.destroy();
    else response.write(`${line}\n`);
  });
  response.once('close', unfollow);
  if (response.destroyed) unfollow();
  return 'streamed';
}
