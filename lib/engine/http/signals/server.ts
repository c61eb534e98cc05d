import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { clientError, problemAnswer, rendered } from '../../../../functions/api/answers.ts';
import { chosenProtocol, socketLogin } from '../../../../functions/api/socket-login.ts';
import { UNKNOWN_ACTION } from '../../../../functions/changes-register/register.ts';
import { isObject, parseJson } from '../../../../functions/core/json.ts';
import { type StreamLogin, type StreamLoginPorts, streamLogin } from '../../../../functions/core/login.ts';
import type { LogReader } from '../../../../functions/core/ports/log.ts';
import type { Signals, Subscription } from '../../../../functions/core/ports/signals.ts';
import type { Clock } from '../../../../functions/core/ports/system.ts';
import { hostName } from '../../../http/app-domain.ts';
import type { OtherHosts } from '../../../http/listeners.ts';
import { asksForWebSocket, frameMeter } from '../../../http/websocket.ts';
import { type Answering, decide, enterAsStranger } from '../answer.ts';
import { Refused, refusedAnswer } from '../refused.ts';
import { type ReadOptions, type RequestHead, readHead } from '../request.ts';
import { Connection } from './connection.ts';
import { SIGNAL_LIMITS, type SignalLimits } from './limits.ts';

interface SignalServerOptions extends StreamLoginPorts {
  readonly clock: Clock;
  readonly signals: Signals;
  readonly log: Pick<LogReader, 'last'>;
  readonly signalsHost?: string | undefined;
  readonly otherHosts?: OtherHosts | undefined;
  readonly parts: Answering;
  readonly reading: ReadOptions;
  readonly limits: Partial<SignalLimits>;
}

export interface SignalServer {
  /** Whether a request is sent to the host name that serves nothing else. */
  isAlone(message: IncomingMessage): boolean;
  /** Whether a request opens the WebSocket. */
  takes(message: IncomingMessage): boolean;
  accept(message: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every connection (1001). */
  close(): Promise<void>;
}

/** The part of the library's callback that decides on a handshake. */
type Decide = (allowed: boolean, status?: number, body?: string, headers?: Record<string, string>) => void;

/** Returns the server of the WebSocket, on connections of an HTTP server. */
export function signalServer(options: SignalServerOptions): SignalServer {
  const limits = { ...SIGNAL_LIMITS, ...options.limits };
  const { signalsHost, otherHosts } = options;
  const connections = new Set<Connection>();
  const entered = new WeakMap<IncomingMessage, Entered>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.messageBytes,
    // Runs after the library has checked the handshake, so that no login is checked for a malformed one.
    verifyClient: ({ req }: { req: IncomingMessage }, decided: Decide) =>
      void admit(options, req, {
        allow: (one) => {
          entered.set(req, one);
          decided(true);
        },
        refuse: decided,
      }),
    handleProtocols: (_, { headers }) => chosenProtocol(headers['sec-websocket-protocol']) ?? false,
  });
  const open = (webSocket: WebSocket, { message, socket }: { message: IncomingMessage; socket: Duplex }) => {
    const by = entered.get(message);
    if (by === undefined) return webSocket.terminate();
    const connection = listen(options, { webSocket, limits, user: by.user });
    void endWhenLapsed(connection, by.login, options.clock);
    // Before the library's listener: a frame that is too long must not become a message.
    socket.prependListener(
      'data',
      frameMeter(limits.frameBytes, () => connection.end(1009, 'Frame too long')),
    );
    connections.add(connection);
    void connection.ended.then(() => connections.delete(connection));
  };
  const isAlone = ({ headers }: IncomingMessage) =>
    signalsHost !== undefined && hostName(headers.host) === hostName(signalsHost);
  return {
    isAlone,
    takes: (message) => {
      if (!asksForWebSocket(message)) return false;
      const path = (message.url ?? '').replace(/\?.*/s, '').replace(/\/$/, '');
      if (isAlone(message)) return path === '' || path === '/signals';
      return path === '/signals' && !otherHosts?.takesHost(message.headers.host ?? '');
    },
    accept: (message, socket, head) =>
      server.handleUpgrade(message, socket, head, (webSocket) => open(webSocket, { message, socket })),
    close: async () => {
      for (const connection of connections) connection.end(1001);
      await Promise.all([...connections].map(({ ended }) => ended));
    },
  };
}

/** The user of a handshake that was let in. */
interface Entered {
  readonly user: string;
  readonly login: StreamLogin;
}

/** Decides on a handshake by its login. */
async function admit(
  { parts, reading, accounts, clock }: SignalServerOptions,
  message: IncomingMessage,
  decided: { readonly allow: (one: Entered) => void; readonly refuse: Decide },
): Promise<void> {
  const head = readHead(message, reading);
  try {
    const logIn = enterAsStranger(parts, message.socket);
    const authorization = socketLogin(head);
    const login = { resource: '$connect', method: 'GET', pathUser: undefined, authorization, address: head.address };
    const { user } = await decide(login, { ...parts, uuid: head.uuid });
    logIn();
    decided.allow({ user, login: streamLogin({ user, headers: { authorization } }, { accounts, clock }) });
  } catch (error) {
    refuse(error, { head, parts, refuse: decided.refuse });
  }
}

function refuse(error: unknown, about: { head: RequestHead; parts: Answering; refuse: Decide }): void {
  const { head, parts } = about;
  const answer =
    error instanceof Refused
      ? refusedAnswer(error, head)
      : problemAnswer(clientError(error, head.uuid, parts.trace), head);
  // As on AWS, where a WebSocket knows no challenge.
  const status = answer.status === 401 ? 403 : answer.status;
  const { headers, body } = rendered({ ...answer, status }, head.uuid);
  about.refuse(false, status, String(body), { ...headers });
}

/** Answers `register` with the user's last change, and sends the number of each later one. */
function listen(
  { signals, log, parts }: SignalServerOptions,
  { webSocket, limits, user }: { webSocket: WebSocket; limits: SignalLimits; user: string },
): Connection {
  let subscription: Subscription | undefined;
  const connection: Connection = new Connection(webSocket, limits, async (text) => {
    const message = parseJson(text);
    const action = message.ok && isObject(message.value) ? message.value.action : undefined;
    if (action !== 'register') return connection.send(JSON.stringify(UNKNOWN_ACTION.body));
    // Before the number is read, so that every later change is signalled.
    subscription ??= signals.subscribe(user, (last) => void (last === null ? sendLast() : sendNumber(last)));
    await sendLast();
  });
  const sendNumber = (last: number) => connection.send(JSON.stringify({ last }));
  const sendLast = async () => {
    try {
      sendNumber(await log.last(user));
    } catch (error) {
      parts.trace('socket failed', { error });
      connection.send(JSON.stringify({ code: 'status:changes:fatal', status: 500 }));
    }
  };
  void connection.ended.then(() => subscription?.close());
  return connection;
}

/** Closes a connection when its login is no longer valid: the client connects again, and may be refused. */
async function endWhenLapsed(connection: Connection, login: StreamLogin, clock: Clock): Promise<void> {
  const ended = new AbortController();
  void connection.ended.then(() => ended.abort());
  while (!ended.signal.aborted) {
    await clock.sleep(login.checkAt - clock.now(), ended.signal);
    if (!ended.signal.aborted && (await login.hasLapsed())) return connection.end(1008, 'The login is no longer valid');
  }
}
