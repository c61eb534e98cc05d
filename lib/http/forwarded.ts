import type { IncomingMessage } from 'node:http';

/**
 * Completes the `X-Forwarded-*` headers of a request before it is passed on. What is there was set by a proxy that is
 * trusted; hops of this machine add nothing, so that the application sees its client and not this service.
 */
export function completeForwarded(request: IncomingMessage): void {
  const { headers, socket } = request;
  const { host = '' } = headers;
  const protocol = headers['x-forwarded-proto'] ?? 'http';
  headers['x-forwarded-proto'] = protocol;
  headers['x-forwarded-for'] ??= socket.remoteAddress ?? '';
  headers['x-forwarded-host'] ??= host;
  // The port that the client used: behind a proxy it is not the one of this socket.
  headers['x-forwarded-port'] ??= /:(\d+)$/.exec(host)?.[1] ?? (protocol === 'https' ? '443' : '80');
}

const FORWARDED = /^(?:x-forwarded-.*|forwarded|x-real-ip)$/i;

/** Removes what a client says about its own client, which only a trusted proxy may say. */
export function dropForwarded({ headers, rawHeaders }: IncomingMessage): void {
  for (const name of Object.keys(headers)) if (FORWARDED.test(name)) delete headers[name];
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (FORWARDED.test(rawHeaders[at] ?? '')) rawHeaders.splice(at, 2);
  }
}
