import { once } from 'node:events';
import type { Said } from '../../../functions/api/shapes/runs.ts';
import { INPUT_FORM, runInputIn, runStartIn, START_FORM } from '../../../functions/core/output/run-request.ts';
import { HttpError } from '../../http/http-error.ts';
import { type Call, endWhenRemoved, NO_CONTENT, ofApp, type Reply, type Routes } from '../http/route.ts';
import type { ApiParts } from './parts.ts';

/** The routes of one-off commands: start one, read what it says, send it input and signals. */
export function runRoutes({ apps, runners }: ApiParts): Routes {
  const handler = ofApp(apps);
  return {
    'POST /apps/:user/:app/runs': handler(async (call, app) => {
      const command = runStartIn(await call.json());
      if (!command) throw new HttpError(400, START_FORM);
      return { status: 201, body: await runners.of(app).run(command) };
    }),
    'GET /apps/:user/:app/runs/:id': handler(async (call, app) => {
      endWhenRemoved(call, app, apps);
      return send(call, (signal) => runners.of(app).said(call.param('id'), signal));
    }),
    'POST /apps/:user/:app/runs/:id': handler(async (call, app) => {
      const input = runInputIn(await call.json());
      if (!input) throw new HttpError(400, INPUT_FORM);
      await runners.of(app).input(call.param('id'), input);
      return NO_CONTENT;
    }),
  };
}

async function send(
  { response }: Call,
  read: (signal: AbortSignal) => Promise<AsyncIterable<readonly Said[]>>,
): Promise<Reply> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const pieces = await read(left.signal);
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  response.flushHeaders();
  for await (const said of pieces) {
    // The login was revoked meanwhile.
    if (response.writableEnded) break;
    const text = said.map((each) => `${JSON.stringify(each)}\n`).join('');
    // The command waits for a reader that is slow.
    if (!response.write(text)) await once(response, 'drain', { signal: left.signal }).catch(() => undefined);
  }
  response.end();
  return 'streamed';
}
