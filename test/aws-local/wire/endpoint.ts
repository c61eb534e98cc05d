import { createServer, type IncomingMessage } from 'node:http';
import { listen } from '../../../lib/http/ports.ts';
import { identify } from '../access/check.ts';
import type { Warn } from '../invoke/invoker.ts';
import type { Guard } from '../permissions/guard.ts';
import { OPERATOR_ONLY } from '../permissions/operator.ts';
import { answerer } from './answer.ts';
import type { WireRequest, WireResponse } from './rest.ts';
import type { Service } from './service.ts';

/** A running endpoint of several services. */
export interface WireEndpoint {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** A function's code may be in the request, of 50 MB in base64. */
const MAX_BODY_BYTES = 70 * 1024 * 1024;

/**
 * Serves services on a free port of 127.0.0.1, for requests that are signed by who may call them; by default, only the
 * person who started this. At most one of the services speaks REST.
 */
export async function startWireEndpoint(
  services: readonly Service[],
  warn: Warn,
  guard: Guard = OPERATOR_ONLY,
): Promise<WireEndpoint> {
  const answerers = services.map((service) => answerer(service, { warn, guard }));
  const server = createServer((request, response) => {
    outcome(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    );
  });
  const outcome = async (message: IncomingMessage): Promise<WireResponse> => {
    const body = await bodyOf(message, MAX_BODY_BYTES);
    if (!body) return refusal(413, 'RequestTooLargeException');
    const identity = await identify(message, guard, { body });
    if (identity.refusal !== undefined) {
      return refusal(403, 'InvalidSignatureException', `Refused: ${identity.refusal}.`);
    }
    const { method = 'GET', url = '/', headers } = message;
    const request: WireRequest = { method, url, headers, body };
    const answering = answerers.find((one) => one.takes(request));
    if (answering) return answering.answer(request, identity.caller);
    const operation = headers['x-amz-target'] ?? `${method} ${url}`;
    return refusal(400, 'UnknownOperationException', `No emulator has the operation ${operation}.`);
  };
  const port = await listen(server, 0);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns the body of a request; undefined for one that is longer, which is read and discarded: the client sees the answer. */
export async function bodyOf(message: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return bytes > maxBytes ? undefined : Buffer.concat(chunks);
}

function refusal(status: number, type: string, message = type): WireResponse {
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': type };
  return { status, headers, body: JSON.stringify({ __type: type, message }) };
}
