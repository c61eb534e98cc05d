import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { httpServer } from '../service/http-server.ts';

/** An expected request and its response. */
export interface Expected {
  /** `GET /repos/o/n/contents/package.json?ref=…`. */
  readonly request: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Writes the response, for responses that stall or end early. */
  readonly answer?: (response: ServerResponse) => void;
}

/** A received request. */
interface Received {
  readonly request: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP server on loopback that accepts only the expected requests, in order. */
export interface StrictServer {
  readonly url: string;
  readonly host: string;
  readonly received: readonly Received[];
  expect(...expected: readonly Expected[]): void;
  /** Closes, and throws if a request was unexpected or an expected one is missing. */
  close(): Promise<void>;
}

export async function strictServer(): Promise<StrictServer> {
  const queue: Expected[] = [];
  const received: Received[] = [];
  const unexpected: string[] = [];
  const server = await httpServer(async (incoming, response) => {
    const request = `${incoming.method} ${incoming.url}`;
    received.push({ request, headers: incoming.headers, body: await text(incoming) });
    const next = queue.shift();
    if (next?.request !== request) unexpected.push(`${request} (expected: ${next?.request ?? 'nothing'})`);
    if (next?.answer) return next.answer(response);
    response.writeHead(next?.status ?? (next ? 200 : 599), { ...next?.headers }).end(next?.body);
  });
  return {
    url: server.url,
    host: new URL(server.url).host,
    received,
    expect: (...expected) => void queue.push(...expected),
    async close() {
      await server.close();
      const missing = queue.map(({ request }) => `${request} (never came)`);
      if (unexpected.length + missing.length > 0) throw new Error([...unexpected, ...missing].join('\n'));
    },
  };
}
