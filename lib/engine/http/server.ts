import type { Server } from 'node:http';
import { routes } from '../../../functions/api/routes.ts';
import type { LoginDecision, LoginRequest, StreamLoginPorts } from '../../../functions/core/login.ts';
import type { LogReader } from '../../../functions/core/ports/log.ts';
import type { Signals } from '../../../functions/core/ports/signals.ts';
import type { Clock, Trace } from '../../../functions/core/ports/system.ts';
import { type OtherHosts, openListeners } from '../../http/listeners.ts';
import { type TrustsAddress, type TrustsRequest, trustedAddresses } from '../../http/trusted-addresses.ts';
import { onWebSocket } from '../../http/websocket.ts';
import type { Answering, Endpoint } from './answer.ts';
import { Bodies } from './body.ts';
import { type HttpLimits, LIMITS } from './limits.ts';
import { Pace } from './pace.ts';
import { compileRoutes } from './router.ts';
import { type AccessRecord, refuseBytes, type Served, serve, upgrade } from './serve.ts';
import type { SignalLimits } from './signals/limits.ts';
import { signalServer } from './signals/server.ts';
import { Turns } from './turns.ts';

export interface EngineHttpOptions extends StreamLoginPorts {
  readonly clock: Clock;
  /** By function of the table of routes: `api-deploy`, `api-status` and so on. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** The check of logins: `authorizer` of `functions/authorize`. */
  readonly authorize: (request: LoginRequest) => Promise<LoginDecision>;
  /** The service's address for other machines, without a slash at the end. */
  readonly publicUrl: string | null;
  /** Origins of other sites whose pages may call the API. */
  readonly allowedOrigins: readonly string[];
  /** 0 for any free one. */
  readonly port: number;
  /** An address to listen on besides 127.0.0.1. */
  readonly host?: string | undefined;
  /** The socket of the file system to which another program passes on the connections of the port. */
  readonly behind?: string | undefined;
  /** The requests whose `X-Forwarded-*` headers are believed. */
  readonly trusts: TrustsRequest;
  /** Proxies: the address of their requests is that of their client. */
  readonly proxies?: TrustsAddress | undefined;
  /** Gets the requests and upgrades for its host names, but for the one of signals. */
  readonly otherHosts?: OtherHosts;
  /** Tells the clients of the WebSocket of changes. */
  readonly signals: Signals;
  readonly log: Pick<LogReader, 'last'>;
  /** The host name at which the WebSocket is `/`; it is `/signals` at the API's own hosts. */
  readonly signalsHost?: string | undefined;
  readonly onRequest?: (record: AccessRecord) => void;
  readonly trace: Trace;
  readonly limits?: Partial<HttpLimits & SignalLimits>;
}

/** The API of the engine, served. */
export interface EngineHttp {
  readonly port: number;
  /** Stops listening and ends every connection. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Serves the API over HTTP: the table of routes, with the login, limits and refusals of API Gateway, and the WebSocket
 * of signals. Throws OperatorError when it cannot listen.
 */
export async function startHttp(options: EngineHttpOptions): Promise<EngineHttp> {
  const limits = { ...LIMITS, ...options.limits };
  const parts: Answering = {
    ...options,
    limits,
    route: compileRoutes(routes),
    bodies: new Bodies(limits),
    pace: new Pace(),
    strangers: { open: 0 },
    members: new WeakSet(),
  };
  const allowedOrigins = options.allowedOrigins.map((origin) => origin.toLowerCase());
  const reading = { ...options, allowedOrigins };
  const signals = signalServer({ ...options, limits: options.limits ?? {}, parts, reading });
  const turns = new Turns(limits.waiting);
  const served: Served = { ...options, reading, parts, signals, turns, open: new WeakMap() };
  const prepare = (server: Server) => {
    server.on('connection', () => parts.pace.connected());
    server.on('request', serve(served, false));
    server.on('checkContinue', serve(served, true));
    // Another expectation is ignored, as by API Gateway: https://www.rfc-editor.org/rfc/rfc9110#field.expect
    server.on('checkExpectation', serve(served, false));
    server.on('clientError', (error, socket) => refuseBytes(served, error, socket));
    onWebSocket(server, (message, socket, head) => upgrade(served, { message, socket, head }));
  };
  const { proxies: isProxy = trustedAddresses() } = options;
  const { port, close } = await openListeners(
    {
      port: options.port,
      host: options.host,
      behind: options.behind,
      limits: { most: limits.connections, hasLogin: (socket) => parts.members.has(socket) },
      // A proxy connects for many clients.
      partyOf: ({ remoteAddress = '' }) => (isProxy(remoteAddress) ? undefined : remoteAddress),
    },
    prepare,
  );
  return {
    port,
    close: async () => {
      await signals.close();
      await close();
    },
  };
}
