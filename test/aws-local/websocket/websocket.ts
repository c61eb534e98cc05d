import { once as event } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from '../../../functions/core/concurrency.ts';
import { OperatorError } from '../../../lib/files/errors.ts';
import { listen, portOf, type ReservedPort } from '../../../lib/http/ports.ts';
import type { TrustsAddress } from '../../../lib/http/trusted-addresses.ts';
import { within } from '../../../lib/process/closing.ts';
import type { Functions } from '../invoke/invoke.ts';
import type { Guard } from '../permissions/guard.mjs';
import { OPERATOR_ONLY } from '../permissions/operator.ts';
import type { Template } from '../template/template.ts';
import { AWS_LIMITS, type Limits } from './connection.ts';
import { manage } from './management.ts';
import { acceptUpgrade, type Upgrade } from './upgrade.ts';
import { readWebSocketApi, type WebSocketBackend, webSocketApiIds } from './web-socket-api.ts';

/** The served WebSocket APIs of a template. */
export interface WebSocketApis {
  /** By logical id; the address has no stage. With `http` instead of `ws` it is the API's `@connections` endpoint. */
  readonly apis: ReadonlyMap<string, { readonly url: string }>;
  /**
   * The `@connections` endpoint of the first API; undefined when there is none. As on AWS, an endpoint knows only the
   * connections of its own API.
   */
  readonly managementEndpoint: string | undefined;
  /**
   * Stops listening, closes every connection (1001) and waits a moment for `$disconnect`; call it before the functions
   * are closed. A second call waits for the first.
   */
  close(): Promise<void>;
}

/** An API and the server in front of it. */
interface Served {
  readonly backend: WebSocketBackend;
  readonly server: LoopbackServer;
}

/**
 * Serves every WebSocket API of a template as API Gateway would: routes, `$connect` with its authorization, route
 * responses, limits, and the `@connections` API.
 *
 * @param options.ports on 127.0.0.1, by logical id of the API; 0, or an API that is not listed: any free one
 * @param options.log gets rejections and errors, without headers, queries and messages
 * @param options.limits replace those of AWS
 * @param options.guard decides who may call APIs with IAM authorization; by default, only the operator
 * @throws OperatorError when a port is taken or an API has an unsupported feature; then nothing listens
 */
export async function startWebSocketApis(options: {
  template: Template;
  functions: Pick<Functions, 'invoke'>;
  ports: Readonly<Record<string, number | ReservedPort>> | 0;
  log: (sentence: string) => void;
  limits?: Partial<Limits>;
  guard?: Guard;
  /** Proxies: the source address of their requests is that of their client. */
  proxies?: TrustsAddress;
}): Promise<WebSocketApis> {
  const { template, functions, ports, log, guard = OPERATOR_ONLY } = options;
  const underWay = new Set<Promise<void>>();
  const shared = {
    guard,
    functions,
    log,
    proxies: options.proxies,
    limits: { ...AWS_LIMITS, ...options.limits },
    track: (work: Promise<void>) => void rememberUntilDone(underWay, work, log),
  };
  const served: Served[] = [];
  const stop = () => stopAll(served, underWay, shared.limits.disconnectTimeoutMs);
  try {
    for (const apiId of webSocketApiIds(template)) {
      const port = ports === 0 ? 0 : (ports[apiId] ?? 0);
      const api = readWebSocketApi(template, apiId);
      served.push(await serve({ ...shared, api, connections: new Map(), handshakes: new Set() }, port));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const [first] = served;
  return {
    apis: new Map(served.map(({ backend, server }) => [backend.api.apiId, { url: `ws://127.0.0.1:${server.port}` }])),
    managementEndpoint: first && `http://127.0.0.1:${first.server.port}`,
    close: once(stop),
  };
}

async function serve(backend: WebSocketBackend, port: number | ReservedPort): Promise<Served> {
  const server = await startLoopbackServer({
    port,
    answer: (message, response) => manage(backend, message, response),
    upgrade: (upgrade) => acceptUpgrade(backend, upgrade),
  });
  return { backend, server };
}

async function rememberUntilDone(
  underWay: Set<Promise<void>>,
  work: Promise<void>,
  log: (sentence: string) => void,
): Promise<void> {
  underWay.add(work);
  try {
    await work;
  } catch (error) {
    log(`a connection failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    underWay.delete(work);
  }
}

async function stopAll(
  served: readonly Served[],
  underWay: ReadonlySet<Promise<void>>,
  disconnectTimeoutMs: number,
): Promise<void> {
  const stopped = Promise.all(served.map(({ server }) => server.stop()));
  for (const { backend } of served) {
    for (const socket of backend.handshakes) socket.destroy();
    for (const connection of backend.connections.values()) connection.end(1001);
  }
  await stopped;
  const notifications = (async () => {
    while (underWay.size > 0) await Promise.allSettled(underWay);
  })();
  // Best effort, as on AWS: a function that hangs must not delay the end of the process.
  await within(disconnectTimeoutMs, notifications, () => new Error('late')).catch(() => {});
}

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
    const closed = event(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { port: portOf(server), stop };
}
