import { once as event } from 'node:events';
import { createServer, type Server } from 'node:http';
import { within } from '../../../functions/adapters/system/within.ts';
import { once } from '../../../functions/core/concurrency.ts';
import { listen, type ReservedPort } from '../../../lib/http/ports.ts';
import type { Invoker } from '../invoke/invoker.ts';
import type { Guard } from '../permissions/guard.ts';
import { invocationDenials } from '../permissions/invocations.ts';
import { OPERATOR_ONLY } from '../permissions/operator.ts';
import type { Template } from '../template/template.ts';
import { AWS_LIMITS, type Limits } from './connection.ts';
import { manage } from './management.ts';
import { acceptUpgrade } from './upgrade.ts';
import { readWebSocketApi, type WebSocketBackend, webSocketApiIds } from './web-socket-api.ts';

/** The served WebSocket APIs of a template. */
export interface WebSocketApis {
  /** By logical id; the address has no stage. With `http` instead of `ws` it is the API's `@connections` endpoint. */
  readonly apis: ReadonlyMap<string, { readonly url: string }>;
  /**
   * Stops listening, closes every connection (1001) and waits a moment for `$disconnect`; call it before the functions
   * are closed. A second call waits for the first.
   */
  close(): Promise<void>;
}

/** An API and the server in front of it. */
interface Served {
  readonly backend: WebSocketBackend;
  readonly server: Server;
  readonly port: number;
}

/**
 * Serves every WebSocket API of a template as API Gateway would: routes, `$connect` with its authorization, route
 * responses, limits, and the `@connections` API.
 *
 * @param options.ports on 127.0.0.1, by logical id of the API; by default any free one
 * @param options.log gets rejections and errors, without headers, queries and messages
 * @param options.limits replace those of AWS
 * @param options.guard decides who may call APIs with IAM authorization; by default, only the operator
 * @throws OperatorError when an API has an unsupported feature
 */
export async function startWebSocketApis(options: {
  template: Template;
  functions: Invoker;
  ports?: Readonly<Record<string, ReservedPort>>;
  log: (sentence: string) => void;
  limits?: Partial<Limits>;
  guard?: Guard;
}): Promise<WebSocketApis> {
  const { template, functions, ports = {}, log, guard = OPERATOR_ONLY } = options;
  const underWay = new Set<Promise<void>>();
  const shared = {
    guard,
    denial: invocationDenials(template),
    functions,
    log,
    limits: { ...AWS_LIMITS, ...options.limits },
    track: (work: Promise<void>) => void rememberUntilDone(underWay, work, log),
  };
  const served: Served[] = [];
  const stop = () => stopAll(served, underWay, shared.limits.disconnectTimeoutMs);
  for (const apiId of webSocketApiIds(template)) {
    const api = readWebSocketApi(template, apiId);
    served.push(await serve({ ...shared, api, connections: new Map(), handshakes: new Set() }, ports[apiId]));
  }
  return {
    apis: new Map(served.map(({ backend, port }) => [backend.api.apiId, { url: `ws://127.0.0.1:${port}` }])),
    close: once(stop),
  };
}

/** A request that `manage` fails on is cut off. */
async function serve(backend: WebSocketBackend, port: ReservedPort | undefined): Promise<Served> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    manage(backend, message, response).catch(() => response.destroy());
  });
  server.on('upgrade', (message, socket, head) => acceptUpgrade(backend, { message, socket, head }));
  return { backend, server, port: await listen(server, port ?? 0) };
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
  const stopped = served.map(({ server }) => {
    const closed = event(server, 'close');
    server.close();
    server.closeAllConnections();
    return closed;
  });
  for (const { backend } of served) {
    for (const socket of backend.handshakes) socket.destroy();
    for (const connection of backend.connections.values()) connection.end(1001);
  }
  await Promise.all(stopped);
  const notifications = (async () => {
    while (underWay.size > 0) await Promise.allSettled(underWay);
  })();
  // Best effort, as on AWS: a function that hangs must not delay the end of the process.
  await within(
    disconnectTimeoutMs,
    () => notifications,
    () => new Error('late'),
  ).catch(() => {});
}
