import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { hasCode } from '../../../lib/files/errors.ts';
import type { OtherHosts } from '../../../lib/http/listeners.ts';
import { hostIn, refuseUpgrade, statusOf, type UnreadableError } from '../../../lib/http/refusal.ts';
import { GatewayError } from './gateway-error.ts';
import type { HttpResponse } from './handle-request.ts';
import type { GatewayRequest } from './request.ts';

/** Who answers what cannot be read. */
export interface UnreadableAnswers {
  readonly errorResponse: (error: GatewayError, request: GatewayRequest) => HttpResponse;
  /** Clients of its hosts get a plain answer: the API's errors say nothing to them. */
  readonly otherHosts?: OtherHosts | undefined;
}

/**
 * Answers a connection whose bytes are no request, or none that can be read, with the gateway response of the template:
 * what Node answers by itself has neither an id nor the shape of the API's errors.
 *
 * @see https://nodejs.org/api/http.html#event-clienterror
 */
export function refuseUnreadable(
  error: UnreadableError,
  socket: Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } | null },
  { errorResponse, otherHosts }: UnreadableAnswers,
): void {
  if (!socket.writable || hasCode(error, 'ECONNRESET') || socket._httpMessage?.headersSent)
    return void socket.destroy();
  const host = hostIn(error);
  if (host !== undefined && otherHosts?.takesHost(host)) {
    refuseUpgrade(socket, { status: statusOf(error), sentence: 'The request cannot be read.' });
    return;
  }
  const request = unreadRequest();
  const { headers, ...response } = errorResponse(new GatewayError('DEFAULT_4XX', { reason: error.message }), request);
  const status = statusOf(error);
  const body = 'endsAt' in response ? '' : String(response.body).replace(/"status":400\b/, `"status":${status}`);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers.flatMap(([name, values]) => values.map((value) => `${name}: ${value}`)),
    `x-amzn-RequestId: ${request.requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function unreadRequest(): GatewayRequest {
  const nothing = { headers: {}, multiValueHeaders: {}, query: null, multiValueQuery: null, userAgent: null };
  const line = { httpMethod: 'GET', path: '/', protocol: 'HTTP/1.1', host: 'localhost', sourceIp: '127.0.0.1' };
  return { requestId: randomUUID(), receivedAt: Date.now(), ...line, ...nothing };
}
