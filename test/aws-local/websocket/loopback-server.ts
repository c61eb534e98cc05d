import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { OperatorError } from '../../../lib/files/errors.ts';
import { listen, portOf, type ReservedPort } from '../../../lib/http/ports.ts';
import type { Upgrade } from './upgrade.ts';

/** An HTTP server on 127.0.0.1 whose connections may switch to the WebSocket protocol. */
export interface LoopbackServer {
  readonly port: number;
  /** Stops listening and ends plain requests; resolves when all sockets are closed, upgraded ones included. */
  stop(): Promise<void>;
}

/**
 * Starts a server. A request for which `answer` fails is cut off.
 *
 * @param options.port 0 for any free one
 * @throws OperatorError when the port is taken
 */
export async function startLoopbackServer(options: {
  port: number | ReservedPort;
  answer: (message: IncomingMessage, response: ServerResponse) => Promise<void>;
  upgrade: (upgrade: Upgrade) => void;
}): Promise<LoopbackServer> {
  const { port, answer, upgrade } = options;
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    answer(message, response).catch(() => response.destroy());
  });
  server.on('upgrade', (message, socket, head) => upgrade({ message, socket, head }));
  try {
    await listen(server, port);
  } catch (cause) {
    throw new OperatorError(
      `the WebSocket API cannot listen on 127.0.0.1:${typeof port === 'number' ? port : port.port}; is another one running?`,
      { cause },
    );
  }
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { port: portOf(server), stop };
}
