import type { IncomingMessage } from 'node:http';

/**
 * Calls `refuse` when a request has not arrived whole within the time. Node's own timeout is for all requests of a
 * server, and would cut large uploads to other hosts off: https://nodejs.org/api/http.html#serverrequesttimeout
 */
export function limitArrival(message: IncomingMessage, timeoutMs: number, refuse: (error: Error) => void): void {
  if (message.complete) return;
  const timer = setTimeout(() => {
    const error = Object.assign(new Error('the request did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    if (!message.complete) refuse(error);
  }, timeoutMs).unref();
  message.once('close', () => clearTimeout(timer));
}
