import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Why a request is answered by the service and not by an application. */
export interface Refusal {
  readonly status: number;
  readonly sentence: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request with a sentence: a page for a browser, `{ "error": "<sentence>" }` for other programs. */
export function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const isBrowser = request.headers.accept?.includes('text/html') === true;
  const body = isBrowser ? page(refusal) : `${JSON.stringify({ error: refusal.sentence })}\n`;
  response.writeHead(refusal.status, {
    'content-type': isBrowser ? 'text/html; charset=utf-8' : 'application/json',
    'cache-control': 'no-store',
    ...refusal.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  // An unread body would block the connection's next request.
  request.resume();
}

/** Answers a request for another protocol, such as WebSocket, in the same way. */
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
