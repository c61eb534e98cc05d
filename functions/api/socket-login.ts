import { hasForeignOrigin } from './cross-site.ts';

/** The subprotocol of the service. A browser offers it in addition to the one that contains its login. */
const SUBPROTOCOL = 'changes';
const LOGIN_PROTOCOL = 'basic.';

/**
 * Returns the login of a WebSocket in the form of an `Authorization` header: that header, or else a subprotocol
 * `basic.<user:secret, base64url>`. A browser cannot set the headers of a WebSocket, but it can offer subprotocols.
 * Unlike the query, they appear in no log and no history. A page of another site has to offer its login: the header is
 * one that the browser remembers and adds.
 */
export function socketLogin(request: Parameters<typeof hasForeignOrigin>[0]): string | undefined {
  const { authorization, 'sec-websocket-protocol': protocols } = request.headers;
  const login = namesIn(protocols).find((one) => one.startsWith(LOGIN_PROTOCOL));
  const offered = login && `Basic ${login.slice(LOGIN_PROTOCOL.length)}`;
  return hasForeignOrigin(request) ? offered : (authorization ?? offered);
}

/** Returns the subprotocol to choose, because a browser closes the connection when none of those it offered is. */
export function chosenProtocol(protocols: string | undefined): string | undefined {
  return namesIn(protocols).includes(SUBPROTOCOL) ? SUBPROTOCOL : undefined;
}

function namesIn(protocols = ''): string[] {
  return protocols.split(',').map((one) => one.trim());
}
