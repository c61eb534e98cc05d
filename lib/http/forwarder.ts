import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasCode } from '../files/errors.ts';
import { headersForServer } from './forwarding/headers.ts';
import { KeptConnections } from './forwarding/kept-connections.ts';
import { sendAlone } from './forwarding/own-connection.ts';
import { Reply } from './forwarding/reply.ts';
import { TakenPort } from './forwarding/taken-port.ts';
import type { Target } from './forwarding/target.ts';
import { upgrade } from './forwarding/upgrade.ts';
import { type Refusal, refuse, refuseUpgrade } from './refusal.ts';

/** Passes requests on to servers of this machine. */
interface Forwarder {
  web(request: IncomingMessage, response: ServerResponse, target: Target): void;
  /** Passes a request for a WebSocket on. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, target: Target): void;
  /** Closes the connections to a server that gets no further requests; those in use when they have ended. */
  leave(target: Target): void;
}

interface ForwarderOptions {
  /** The answer when nothing listens at the address of the server; default: the one when it does not answer. */
  readonly notListening?: Refusal;
  /** The host names of the server, above which its cookies must not be valid; default: any may be. */
  readonly ownNames?: () => readonly string[];
}

/** What can be done with a request that a server has not taken. */
interface Again {
  readonly mayRepeat: boolean;
  readonly sendTo: (server: Target) => void;
  readonly refuse: (refusal: Refusal) => void;
}

/** Returns a forwarder of requests; when the server does not answer, the refusal is sent. */
export function forwarder(
  noAnswer: Refusal,
  { notListening = noAnswer, ownNames = () => [] }: ForwarderOptions = {},
): Forwarder {
  const kept = new Map<string, KeptConnections>();
  const keptTo = (target: Target) => {
    const address = addressOf(target);
    const known = kept.get(address);
    if (known) return known;
    const { onRefused: _, other: _other, ...server } = target;
    const begun = new KeptConnections(server);
    kept.set(address, begun);
    return begun;
  };
  /** Sends a request of which nothing has been lost to another server; else the refusal. */
  const afterFailure = async (error: Error | undefined, { onRefused, other }: Target, again: Again) => {
    if (!hasCode(error, 'ECONNREFUSED') && !(error instanceof TakenPort)) return again.refuse(noAnswer);
    onRefused?.();
    const next = again.mayRepeat ? await other?.() : undefined;
    if (next) again.sendTo(next);
    else again.refuse(notListening);
  };
  return {
    web: (request, response, target) => {
      const reply = new Reply(request, response, ownNames());
      const isRepeatable = mayRepeat(request);
      const sendTo = (server: Target) => {
        const headers = headersForServer(request, server);
        reply.cookie = server.cookie;
        const failed = (error?: Error) => {
          if (reply.isOver) return;
          const refused = (refusal: Refusal) => refuse(request, response, refusal);
          void afterFailure(error, server, { mayRepeat: isRepeatable, sendTo, refuse: refused });
        };
        if (isRepeatable) keptTo(server).send({ reply, headers, failed });
        else sendAlone(reply, server, headers, failed);
      };
      sendTo(target);
    },
    upgrade: (request, socket, head, target) => {
      if (!(socket instanceof Socket)) return void socket.destroy();
      socket.on('error', () => socket.destroy());
      const sendTo = (server: Target) => {
        const failed = (error?: Error) => {
          const refused = (refusal: Refusal) => refuseUpgrade(socket, refusal);
          void afterFailure(error, server, { mayRepeat: true, sendTo, refuse: refused });
        };
        upgrade({ request, socket, head, ownNames: ownNames(), failed }, server);
      };
      sendTo(target);
    },
    leave: (target) => {
      kept.get(addressOf(target))?.close();
      kept.delete(addressOf(target));
    },
  };
}

function addressOf({ host, port }: Target): string {
  return `${host}:${port}`;
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2 */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Whether a request may be sent a second time: its body is gone then, and it must not do a second time what it asks for. */
function mayRepeat({ method = '', headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  return IDEMPOTENT.has(method) && !hasBody && headers.expect === undefined;
}
