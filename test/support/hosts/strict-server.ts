import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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
export interface Received {
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
  const server = createServer(async (incoming, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = `${incoming.method} ${incoming.url}`;
    received.push({ request, headers: incoming.headers, body: Buffer.concat(chunks).toString() });
    const next = queue.shift();
    if (next?.request !== request) unexpected.push(`${request} (expected: ${next?.request ?? 'nothing'})`);
    if (next?.answer) return next.answer(response);
    response.writeHead(next?.status ?? (next ? 200 : 599), { ...next?.headers }).end(next?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    received,
    expect: (...expected) => void queue.push(...expected),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      const missing = queue.map(({ request }) => `${request} (never came)`);
      if (unexpected.length + missing.length > 0) throw new Error([...unexpected, ...missing].join('\n'));
    },
  };
}
