import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { hostName } from '../../http/app-domain.ts';
import { HEADER_BYTES } from '../../http/forwarder.ts';
import { hasOneHost, NOT_ONE_HOST, refuse, refuseUpgrade } from '../../http/refusal.ts';
import { onWebSocket } from '../../http/websocket.ts';
import type { Runner } from '../runner.ts';
import { Waiting } from './waiting.ts';

/** Serves requests for applications by their Host header. */
export interface FrontDoor {
  /** Returns the runner of the application to which a host name leads. */
  find(host: string | undefined): Runner | undefined;
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Serves a request for a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Returns the server of a front door. */
export function doorServer({ serve, upgrade }: Pick<FrontDoor, 'serve' | 'upgrade'>): Server {
  const server = createServer({ maxHeaderSize: HEADER_BYTES }, serve);
  onWebSocket(server, (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    upgrade(request, socket, head);
  });
  // An upload may take as long as it likes, and a kept connection is closed by its client first.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 75_000;
  return server;
}

const UNKNOWN_APP = { status: 404, sentence: 'There is no application at this address.' };

interface LedDoor extends FrontDoor {
  /** Tells it which applications there are. */
  readonly lead: (all: readonly Runner[]) => void;
  /** Tells it that these are all: requests have waited for that. */
  readonly begin: () => void;
}

export function frontDoor(limits: ConstructorParameters<typeof Waiting>[0]): LedDoor {
  let names: ReadonlyMap<string, Runner> = new Map();
  let hasBegun = false;
  const waiting = new Waiting(limits);
  const visit = (stream: ServerResponse | Duplex, serve: () => void) => {
    if (hasBegun) serve();
    else waiting.add(stream, serve);
  };
  const find = (host: string | undefined) => {
    const app = names.get(hostName(host));
    // Nothing is at its address until it is started for the first time.
    return app?.told.now.release === null && app.state() === 'stopped' ? undefined : app;
  };
  return {
    find,
    lead: (all) => {
      names = namesOf(all);
    },
    begin: () => {
      hasBegun = true;
      waiting.end();
    },
    serve: (request, response) => {
      if (!hasOneHost(request)) return refuse(request, response, NOT_ONE_HOST);
      visit(response, () => {
        const app = find(request.headers.host);
        if (app) app.proxy.serve(request, response);
        else refuse(request, response, UNKNOWN_APP);
      });
    },
    upgrade: (request, socket, head) => {
      // Its client may leave while it waits.
      socket.on('error', () => socket.destroy());
      visit(socket, () => {
        const app = find(request.headers.host);
        if (app) app.proxy.upgrade(request, socket, head);
        else refuseUpgrade(socket, UNKNOWN_APP);
      });
    },
  };
}

function namesOf(all: readonly Runner[]): ReadonlyMap<string, Runner> {
  const entries = all.flatMap((runner) => {
    const { hosts, domains } = runner.told.now;
    return [...hosts, ...domains].map((name) => [name, runner] as const);
  });
  return new Map(entries);
}
