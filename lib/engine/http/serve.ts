import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { clientError, problemAnswer } from '../../../functions/api/answers.ts';
import { hasCode } from '../../files/errors.ts';
import type { OtherHosts } from '../../http/listeners.ts';
import { hasOneHost, hostIn, refuseUpgrade, statusOf, type UnreadableError } from '../../http/refusal.ts';
import { dropForwarded, type TrustsRequest } from '../../http/trusted-addresses.ts';
import { type Answering, answerTo, type Reasoned } from './answer.ts';
import { type Exchange, leaveBody } from './body.ts';
import { Refused, refuseConnection, refusedAnswer, unreadable } from './refused.ts';
import { type ReadOptions, type RequestHead, readHead } from './request.ts';
import { send } from './send.ts';
import type { SignalServer } from './signals/server.ts';
import type { Turns } from './turns.ts';

/** One line of the access log, without the query, which may contain secrets. */
export interface AccessRecord {
  /** The request's `x-api-uuid`. */
  readonly uuid: string;
  readonly method: string;
  readonly path: string;
  /** 499 when the client disconnected before the answer. */
  readonly status: number;
  /** From the moment at which the request is worked on to the last byte of the answer. */
  readonly ms: number;
  /** Why it was not answered as asked; for the log only. */
  readonly reason?: string;
}

export interface Served {
  readonly trusts: TrustsRequest;
  readonly otherHosts?: OtherHosts;
  readonly onRequest?: (record: AccessRecord) => void;
  readonly reading: ReadOptions;
  readonly parts: Answering;
  readonly signals: SignalServer;
  readonly turns: Turns;
  /** The request that is worked on, by its connection. */
  readonly open: WeakMap<Duplex, Exchange>;
}

const NOT_ONE_HOST = unreadable('the request does not name one host');
const NO_SOCKET = unreadable('there is no WebSocket at this path');
const ONLY_SIGNALS = new Refused(
  { code: 'request:not_found', detail: 'This host name serves the WebSocket of signals only.' },
  'a request without an upgrade',
  { status: 426, headers: { upgrade: 'websocket' } },
);

/** Returns the listener for requests. Those of one connection are served one after the other. */
export function serve(served: Served, expectsContinue: boolean) {
  return (message: IncomingMessage, response: ServerResponse) => {
    const { socket } = message;
    served.turns.take(socket, (done) => {
      const exchange = { message, response, expectsContinue };
      served.open.set(socket, exchange);
      response.once('close', () => {
        served.open.delete(socket);
        done();
      });
      begin(served, exchange);
    });
  };
}

function begin(served: Served, exchange: Exchange): void {
  const { message, response, expectsContinue } = exchange;
  const { otherHosts } = served;
  const refused = refusalOf(served, message);
  if (!refused && otherHosts?.takes(message)) {
    if (expectsContinue) response.writeContinue();
    return void otherHosts.serve(message, response);
  }
  handle(served, exchange, refused).catch(() => response.destroy());
}

/**
 * Returns why a request is not served whatever it asks for. Forgets the login of the one before it, and what an untrusted
 * client says of its client.
 */
function refusalOf({ trusts, signals, parts }: Served, message: IncomingMessage): Refused | undefined {
  parts.members.delete(message.socket);
  if (!trusts(message)) dropForwarded(message);
  if (!hasOneHost(message)) return NOT_ONE_HOST;
  return signals.isAlone(message) && !signals.takes(message) ? ONLY_SIGNALS : undefined;
}

async function handle(served: Served, exchange: Exchange, refused: Refused | undefined): Promise<void> {
  const { response } = exchange;
  const { parts, reading } = served;
  const head = readHead(exchange.message, reading);
  const noted = { reason: refused?.message };
  logAtEnd(served, { head, response, noted });
  const answered: Reasoned = refused ? { whole: refusedAnswer(refused, head) } : await answerTo(parts, head, exchange);
  noted.reason ??= answered.reason;
  leaveBody(exchange, parts.limits.drainMs);
  const sending = { uuid: head.uuid, stalledMs: parts.limits.stalledMs };
  try {
    await send(response, answered, sending);
  } catch (error) {
    noted.reason = String(error);
    const failure = clientError(error, head.uuid, parts.trace);
    if (response.headersSent) response.destroy();
    else await send(response, { whole: problemAnswer(failure, head) }, sending);
  }
}

function logAtEnd(
  { onRequest }: Served,
  { head, response, noted }: { head: RequestHead; response: ServerResponse; noted: { reason: string | undefined } },
): void {
  const started = performance.now();
  const { uuid, method, path } = head;
  response.once('close', () => {
    const { reason } = noted;
    const status = response.headersSent ? response.statusCode : 499;
    const ms = performance.now() - started;
    onRequest?.({ uuid, method, path, status, ms, ...(reason === undefined ? {} : { reason }) });
  });
}

/** Serves a request for a WebSocket. */
export function upgrade(
  served: Served,
  { message, socket, head }: { readonly message: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
): void {
  socket.on('error', () => socket.destroy());
  // The answers to earlier requests would be mixed with another protocol.
  if (served.open.has(socket)) return void socket.destroy();
  const refused = refusalOf(served, message);
  if (refused) return void refuseConnection(socket, refused, baseOf(served, message.socket));
  if (served.signals.takes(message)) return void served.signals.accept(message, socket, head);
  if (served.otherHosts?.takes(message)) return void served.otherHosts.upgrade(message, socket, head);
  refuseConnection(socket, NO_SOCKET, baseOf(served, message.socket));
}

/** Answers bytes that are no request, after the requests before them. */
export function refuseBytes(
  served: Served,
  error: UnreadableError,
  socket: Duplex & { readonly localPort?: number },
): void {
  if (!socket.writable || hasCode(error, 'ECONNRESET')) return void socket.destroy();
  const status = statusOf(error);
  const host = hostIn(error);
  const refuse = () => {
    // The API's errors say nothing to clients of other programs.
    const isOther = host !== undefined && served.otherHosts?.takesHost(host);
    if (isOther) refuseUpgrade(socket, { status, sentence: 'The request cannot be read.' });
    else refuseConnection(socket, unreadable(error.message, status), baseOf(served, socket));
  };
  const open = served.open.get(socket);
  if (!open) return void refuse();
  if (open.message.complete) return void served.turns.take(socket, refuse);
  // The body of this request cannot be read.
  if (open.response.headersSent) socket.destroy();
  else refuse();
}

function baseOf({ reading }: Served, { localPort }: { readonly localPort?: number | undefined }): string {
  return reading.publicUrl ?? `http://127.0.0.1:${localPort}`;
}
