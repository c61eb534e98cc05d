import type { IncomingMessage } from 'node:http';

const FORWARDED = /^(?:x-forwarded-.*|forwarded|x-real-ip)$/i;

/** Removes what a client says about its own client, which only a trusted proxy may say. */
export function dropForwarded({ headers, rawHeaders }: IncomingMessage): void {
  for (const name of Object.keys(headers)) if (FORWARDED.test(name)) delete headers[name];
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (FORWARDED.test(rawHeaders[at] ?? '')) rawHeaders.splice(at, 2);
  }
}
