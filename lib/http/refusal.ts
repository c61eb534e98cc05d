import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { hasCode } from '../files/errors.ts';

/** Why a request is answered by the service and not by an application. */
export interface Refusal {
  readonly status: number;
  readonly sentence: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns a page for browsers in place of that with the sentence. */
  readonly page?: (() => Uint8Array | undefined) | undefined;
}

/**
 * Whether a request says once for whom it is, as it must: https://www.rfc-editor.org/rfc/rfc9112#section-3.2. With two
 * names, two programs could take it for different ones.
 */
export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** The answer to a request that does not. */
export const NOT_ONE_HOST: Refusal = {
  status: 400,
  sentence: 'A request has one Host header.',
  headers: { connection: 'close' },
};

/** Answers a request with a sentence: a page for a browser, `{ "error": "<sentence>" }` for other programs. */
export function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const isBrowser = request.headers.accept?.includes('text/html') === true;
  const body = isBrowser ? (refusal.page?.() ?? page(refusal)) : `${JSON.stringify({ error: refusal.sentence })}\n`;
  response.writeHead(refusal.status, {
    'content-type': isBrowser ? 'text/html; charset=utf-8' : 'application/json',
    'cache-control': 'no-store',
    ...refusal.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  // An unread body would block the connection's next request.
  request.resume();
}

/** Answers a request for a WebSocket, or a connection whose bytes are no request, in the same way. */
export function refuseUpgrade(socket: Duplex, { status, sentence, headers = {} }: Refusal): void {
  if (!socket.writable) return void socket.destroy();
  const body = `${JSON.stringify({ error: sentence })}\n`;
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** The sentences hold names of applications and hosts only, but a Host header is what a client likes it to be. */
function page({ status, sentence }: Refusal): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  const text = sentence.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1rem; color-scheme: light dark }
</style>
<h1>${title}</h1>
<p>${text}</p>
</html>
`;
}

/** The error of Node for bytes that are no request: https://nodejs.org/api/http.html#event-clienterror */
export type UnreadableError = Error & { readonly rawPacket?: Buffer };

/** Returns the host that the bytes name, as far as they can be read. */
export function hostIn({ rawPacket }: UnreadableError): string | undefined {
  return /^host:(.*)$/im.exec(rawPacket?.toString('latin1') ?? '')?.[1]?.trim();
}

export function statusOf(error: UnreadableError): number {
  if (hasCode(error, 'HPE_HEADER_OVERFLOW')) return 431;
  if (hasCode(error, 'HPE_CHUNK_EXTENSIONS_OVERFLOW')) return 413;
  return hasCode(error, 'ERR_HTTP_REQUEST_TIMEOUT') ? 408 : 400;
}
