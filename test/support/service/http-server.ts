import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A server on a free port of 127.0.0.1. */
export interface HttpServer {
  readonly url: string;
  /** Ends all connections, those of streams too. */
  cut(): void;
  close(): Promise<void>;
}

/** Serves until it is closed; when the handler rejects, the connection is closed. */
export async function httpServer(
  serve: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    Promise.resolve(serve(request, response)).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
