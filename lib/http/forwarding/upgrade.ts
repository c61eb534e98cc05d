import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { headersForClient, headersForServer } from './headers.ts';
import { headOf, openRequest } from './own-connection.ts';
import { headText } from './reply.ts';
import type { Target } from './target.ts';

/** A request for a WebSocket, and the connection on which it came with the bytes that are behind it. */
interface Asked {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly ownNames: readonly string[];
  /** Called when there is no answer. */
  readonly failed: (error?: Error) => void;
}

/** Passes a request for a WebSocket on, and the bytes in both directions when the server agrees; else its answer. */
export function upgrade({ request, socket, head, ownNames, failed }: Asked, target: Target): void {
  const asking = ['connection', 'Upgrade', 'upgrade', request.headers.upgrade ?? ''];
  const sent = openRequest(request, target, [...headersForServer(request, target), ...asking]);
  let cause: Error | undefined;
  let answered = false;
  const answer = (message: IncomingMessage, more: readonly string[]) => {
    answered = true;
    const { headers, ...line } = headOf(message);
    const passed = headersForClient(headers, { ownNames, hasTrailers: false });
    socket.write(headText({ ...line, headers: [...passed, ...more] }), 'latin1');
  };
  socket.once('close', () => sent.destroy());
  sent.on('error', (error) => {
    cause = error;
  });
  sent.once('close', () => {
    if (!answered) failed(cause);
  });
  sent.once('upgrade', (message, server: Socket, first: Buffer) => {
    answer(message, ['connection', 'Upgrade', 'upgrade', message.headers.upgrade ?? '']);
    socket.write(first);
    server.write(head);
    join(socket, server);
  });
  sent.once('response', (message) => {
    answer(message, ['connection', 'close']);
    message.on('error', () => socket.destroy());
    message.pipe(socket);
  });
  sent.end();
}

/** Passes bytes in both directions until both sides have ended, or one has been cut off. */
function join(client: Socket, server: Socket): void {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.setTimeout(0);
    from.setNoDelay(true);
    // Finds out that the other side is gone without a word.
    from.setKeepAlive(true);
    from.on('error', () => from.destroy());
    from.once('close', () => to.destroySoon());
    from.pipe(to);
  }
}
