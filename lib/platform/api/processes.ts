import { jsonBody } from '../http/json-body.ts';
import { appOf, type Call, isSet, type Reply, type Route, wholeNumber } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { Runner } from '../run/runner.ts';
import type { Runners } from '../run/runners.ts';
import type { Apps } from '../store/apps.ts';
import { checkedSnapshot } from '../store/names.ts';
import type { AppView } from './app-view.ts';

/** What the calls about running applications work with. */
export interface ProcessRouteParts {
  readonly apps: Apps;
  readonly runners: Runners;
  readonly view: AppView;
  readonly bodyBytes: number;
}

/** The calls about running applications: start, stop, restart, logs. Start and restart answer when the application does. */
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

/** The last lines as plain text (`?lines=`, 200 without); with `?follow` the new ones too, until the reader goes away. */
async function sendLog(call: Call, { log }: Runner): Promise<Reply> {
  const { response } = call;
  const lines = await log.tail(wholeNumber(call, 'lines', 200, 1_000));
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.write(lines.map((line) => `${line}\n`).join(''));
  if (!isSet(call, 'follow')) {
    response.end();
    return 'streamed';
  }
  // Headers go out now, also when there is no line yet. Nothing is missed in between: no output is read in this turn.
  response.flushHeaders();
  const unfollow = log.follow((line) => {
    // A reader that does not read must not make the platform keep the log for it.
    if (response.writableLength > 1_000_000) response.destroy();
    else response.write(`${line}\n`);
  });
  response.once('close', unfollow);
  if (response.destroyed) unfollow();
  return 'streamed';
}
