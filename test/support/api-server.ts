import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { httpServer } from './service/http-server.ts';

/** A request as the server got it. */
export interface Received {
  readonly method: string | undefined;
  /** Path and query, as sent. */
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What the server answers: a status and what becomes the JSON body (a text is sent as it is), or silence. */
export type Reply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  | 'hang up'
  | 'silence';

export interface ApiServer {
  readonly url: string;
  readonly received: readonly Received[];
}

/** A server that answers with the replies in order, and with 599 once they are used up. It ends after the test. */
export async function apiServer(...replies: readonly Reply[]): Promise<ApiServer> {
  const left = [...replies];
  const received: Received[] = [];
  const url = await server(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    answer(response, left.shift() ?? { status: 599, body: { error: 'One call too many.' } });
  });
  return { url, received };
}

/** A server for one test, and its address. */
export async function server(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<string> {
  const { url, close } = await httpServer(serve);
  onTestFinished(close);
  return url;
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'silence') return;
  if (reply === 'hang up') return void response.destroy();
  const { status, body = {}, headers = {} } = reply;
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
}
