import type { IncomingMessage } from 'node:http';

/** They concern one connection only: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const HOP = ['keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade', 'http2-settings'];
/** Without them the next server could read the body differently, or take the request for that of another client. */
const KEPT = /^(?:host|content-length|transfer-encoding|forwarded|x-forwarded-.+)$/;

/**
 * Removes the headers that are not for the server behind this program, also those that `Connection` names. A request for
 * a WebSocket keeps what asks for it.
 */
export function dropHopHeaders({ headers }: IncomingMessage, isUpgrade: boolean): void {
  const { connection = '', upgrade } = headers;
  const named = connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  for (const name of [...HOP, ...named]) if (!KEPT.test(name)) delete headers[name];
  // What the client wants for its own connection, of which the answer tells.
  const own = named.find((name) => name === 'close' || name === 'keep-alive');
  delete headers.connection;
  if (isUpgrade) Object.assign(headers, { connection: 'Upgrade', upgrade });
  else if (own !== undefined) headers.connection = own;
}
