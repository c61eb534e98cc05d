import { once } from 'node:events';
import { INPUT_FORM, runInputIn, runStartIn, START_FORM } from '../../../functions/core/output/run-request.ts';
import type { OneOff } from '../../runner/jobs/one-off.ts';
import { type Call, endWhenRevoked, NO_CONTENT, ofApp, type Reply, type Routes } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { ApiParts } from './parts.ts';

/** The routes of one-off commands: start one, read what it says, send it input and signals. */
export function runRoutes({ apps, oneOffs }: ApiParts): Routes {
  const handler = ofApp(apps);
  return {
    'POST /apps/:user/:app/runs': handler(async (call, app) => {
      const command = runStartIn(await call.json());
      if (!command) throw new HttpError(400, START_FORM);
      const { id, hasTerminal } = await oneOffs.start(app, command);
      return { status: 201, body: { id, terminal: hasTerminal } };
    }),
    'GET /apps/:user/:app/runs/:id': handler(async (call, app) => {
      const one = oneOffs.get(app, call.param('id'));
      endWhenRevoked(call, app, apps);
      return send(call, one);
    }),
    'POST /apps/:user/:app/runs/:id': handler(async (call, app) => {
      const input = runInputIn(await call.json());
      if (!input) throw new HttpError(400, INPUT_FORM);
      oneOffs.get(app, call.param('id')).write(input);
      return NO_CONTENT;
    }),
  };
}

async function send({ response }: Call, one: OneOff): Promise<Reply> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const pieces = one.read(left.signal);
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
