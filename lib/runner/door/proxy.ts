import { once } from 'node:events';
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Server as SocketServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Process } from '../../../functions/core/ports/processes.ts';
import type { passwordCheck } from '../../../functions/core/users/passwords.ts';
import { forwarder } from '../../http/forwarder.ts';
import type { Target } from '../../http/forwarding/target.ts';
import { leavePort, listenOnFirst, portOf, socketsOf } from '../../http/ports.ts';
import { type Refusal, refuse, refuseUpgrade } from '../../http/refusal.ts';
import { type Door, doorServer } from '../../http/servers.ts';
import type { AppSpec } from '../calls.ts';
import type { RunnerLimits } from '../settings.ts';
import type { Usage } from '../usage.ts';
import { appLock } from './lock.ts';
import { ownPage } from './own-page.ts';
import { Waiting } from './waiting.ts';
import {
  type AppTarget,
  affinityCookie,
  affinityOf,
  chosen,
  countIn,
  countOut,
  drained,
  isRefusing,
  type Server,
  settled,
  unused,
} from './web-servers.ts';

/** The reverse proxy of an application. It keeps the clients' connections while releases change behind it. */
export interface AppProxy extends Door {
  /**
   * Listens on the first of these ports that is free, else on any, unless `adopt` has the server listen; returns the port. A
   * second call returns the same.
   */
  open(candidates: Iterable<number>, adopt?: (server: HttpServer) => Promise<void>): Promise<number>;
  /** Returns the sockets of its port; none while it is not open. */
  sockets(): readonly SocketServer[];
  /**
   * Leaves the port to another process, which gets all further requests of the connections. Resolves when these have ended,
   * after that time at the latest.
   */
  leave(timeoutMs: number): Promise<void>;
  /**
   * Sends all further requests to this server, or to none (`undefined`). Returns a function that waits until the
   * previous target has finished its requests, for at most that time.
   */
  pointTo(server: AppTarget | undefined): (timeoutMs: number) => Promise<void>;
  /**
   * Sends requests to another server too: that with the fewest open requests gets the next one. Returns a function that
   * ends this, and waits as that of `pointTo` does.
   */
  join(server: Target): (timeoutMs: number) => Promise<void>;
  /** Makes waiting requests check the state of the application again. */
  stateChanged(): void;
  /** Stops listening and cuts the connections. */
  close(): Promise<void>;
}

interface ProxyParts {
  /** Returns the application as it is described now. */
  readonly spec: () => AppSpec;
  readonly state: () => Process['state'];
  readonly isPassword: ReturnType<typeof passwordCheck>;
  /** Counts a request or a connection in; the returned function counts it out. */
  readonly use: () => () => void;
  /** Called when a request waits for an application that is asleep. */
  readonly wake: () => void;
  readonly usage: Pick<Usage, 'count'>;
  /** Limits the connections of a server. */
  readonly guard: (server: HttpServer) => void;
  readonly limits: Pick<RunnerLimits, 'waitMs' | 'mostWaiting'>;
}

/** A request with what is to be answered on. */
interface Visit {
  readonly request: IncomingMessage;
  readonly stream: ServerResponse | Duplex;
  /** Whether it was let in by a password. */
  readonly isLocked: boolean;
}

/** The states after which it may serve by itself in a moment. Nobody waits for the next try in a crash loop. */
const COMING: readonly Process['state'][] = ['starting', 'restarting', 'asleep'];

export function appProxy(parts: ProxyParts): AppProxy {
  const { spec, state, use, wake, usage, limits, guard } = parts;
  const lock = appLock(spec, parts.isPassword);
  let target: Server | undefined;
  const joined = new Set<Server>();
  let used = 0;
  let opened: Promise<number> | undefined;
  let isClosed = false;
  const waiting = new Waiting(limits);
  // The cookies of the application are not valid above its names.
  const forward = forwarder(NO_ANSWER, { ownNames: () => spec().hosts });
  const page = ownPage(() => spec().release);
  const headers = { 'retry-after': '1' };
  const notNow = () => ({ status: 503, sentence: `${spec().app} ${WHY_NOT[state()]}.`, headers, page });
  const free = (wanted?: string) => chosen(target ? [target, ...joined] : [...joined], wanted);
  const lookAgain = () => {
    if (target || joined.size > 0 || isClosed || !COMING.includes(state())) waiting.end();
    else if (state() === 'asleep' && !waiting.isEmpty) wake();
  };
  const isThere = (server: Server) => server === target || joined.has(server);
  const wait = (stream: ServerResponse | Duplex, goOn: () => void) => {
    waiting.add(stream, goOn);
    lookAgain();
  };
  /** Hands over the target of a request, `undefined` when there is none. Nothing is read of the request until then. */
  const visit = ({ request, stream, isLocked }: Visit, to: (server: Target | undefined) => void) => {
    // A connection that has closed already emits no `close`, and would count as use for ever.
    if (stream.destroyed) return;
    const leave = use();
    let server: Server | undefined;
    let hasWaited = false;
    stream.once('close', () => {
      leave();
      if (server) countOut(server);
    });
    const next = (): Target | undefined => {
      if (server) countOut(server);
      const wanted = spec().release?.affinity ? affinityOf(request) : undefined;
      const taken = free(wanted);
      server = taken;
      if (!taken) return undefined;
      used += 1;
      countIn(taken, used);
      const onRefused = () => {
        taken.refusedAt = performance.now();
        taken.onRefused?.();
      };
      const other = async () => {
        if (isRefusing(free())) {
          if (hasWaited) return undefined;
          hasWaited = true;
          await settled(taken, isThere);
        }
        if (stream.destroyed) return undefined;
        if (free()) return isRefusing(free()) ? undefined : next();
        return new Promise<Target | undefined>((resolve) => wait(stream, () => resolve(next())));
      };
      const isNew = spec().release?.affinity && !taken.isDoor && taken.id !== wanted;
      const cookie = isNew ? affinityCookie(taken) : undefined;
      return { ...taken, onRefused, other, cookie, withoutLogin: isLocked && !taken.isDoor };
    };
    const handOver = () => {
      if (!stream.destroyed) to(next());
    };
    if (target || joined.size > 0) handOver();
    else wait(stream, handOver);
  };
  /** Nobody who is not let in wakes the application. */
  const letIn = (request: IncomingMessage, come: (isLocked: boolean) => void, stay: (refusal: Refusal) => void) => {
    const asked = lock(request);
    if (asked === 'none') return come(false);
    void asked.then((refusal) => (refusal ? stay(refusal) : come(true)));
  };
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const arrived = performance.now();
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : LEFT;
      usage.count(status, response.writableFinished ? performance.now() - arrived : undefined);
    });
    const come = (isLocked: boolean) =>
      visit({ request, stream: response, isLocked }, (server) => {
        if (server) forward.web(request, response, server);
        else refuse(request, response, notNow());
      });
    letIn(request, come, (refusal) => refuse(request, response, refusal));
  };
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Its client may leave while it waits.
    socket.on('error', () => socket.destroy());
    const come = (isLocked: boolean) =>
      visit({ request, stream: socket, isLocked }, (server) => {
        if (server) forward.upgrade(request, socket, head, server);
        else refuseUpgrade(socket, notNow());
      });
    letIn(request, come, (refusal) => refuseUpgrade(socket, refusal));
  };
  const server = doorServer({ serve, upgrade });
  guard(server);
  return {
    open: (candidates, adopt) => (opened ??= listenOr(server, candidates, adopt)),
    sockets: () => socketsOf(server),
    leave: (timeoutMs) => connectionsEnded(server, timeoutMs),
    serve,
    upgrade,
    pointTo: (server) => {
      const old = target;
      if (old) forward.leave(old);
      target = server && unused(server);
      lookAgain();
      return (timeoutMs) => drained(old, timeoutMs);
    },
    join: (server) => {
      const other = unused(server);
      joined.add(other);
      lookAgain();
      return (timeoutMs) => {
        if (joined.delete(other)) forward.leave(other);
        return drained(other, timeoutMs);
      };
    },
    stateChanged: lookAgain,
    close: async () => {
      isClosed = true;
      for (const server of [target, ...joined]) if (server) forward.leave(server);
      lookAgain();
      if (opened) await opened.then(() => closed(server));
    },
  };
}

async function listenOr(
  server: HttpServer,
  candidates: Iterable<number>,
  adopt?: (server: HttpServer) => Promise<void>,
) {
  await adopt?.(server);
  return server.listening ? portOf(server) : listenOnFirst(server, candidates);
}

const NO_ANSWER: Refusal = { status: 502, sentence: 'The application did not answer.' };

/** The status that is counted for a client that has left before it was answered, as nginx has it. */
const LEFT = 499;

/** Why no `web` process of an application serves. */
const WHY_NOT: Readonly<Record<Process['state'], string>> = {
  stopped: 'is stopped',
  starting: 'is starting',
  running: 'has no web process',
  asleep: 'is asleep',
  restarting: 'has crashed and is being started again',
  crashed: 'has crashed too often; see its log',
};

const IDLE_CHECK_MS = 250;

/** Stops listening, and resolves when the connections have ended, idle ones soon; after that time at the latest. */
export async function connectionsEnded(server: HttpServer, timeoutMs: number): Promise<void> {
  if (!server.listening) return;
  const ended = once(server, 'close');
  leavePort(server);
  // A connection that was in use becomes idle, and would be kept for a minute.
  const timer = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await Promise.race([ended, pause(timeoutMs, undefined, { ref: false })]);
  clearInterval(timer);
  server.closeAllConnections();
}

function closed(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
