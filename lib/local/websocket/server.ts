import type { Duplex } from 'node:stream';
import { within } from '../gateway/within.ts';
import type { Functions } from '../invoke.ts';
import type { Template } from '../template.ts';
import type { Backend } from './backend.ts';
import { awsLimits, type Limits } from './limits.ts';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';
import { manage } from './management.ts';
import { acceptUpgrade } from './upgrade.ts';
import { readWebSocketApi, webSocketApiIds } from './web-socket-api.ts';

/** The served WebSocket APIs of a template. */
export interface WebSocketApis {
  /** By logical id; the address has no stage. */
  readonly apis: ReadonlyMap<string, { readonly url: string }>;
  /**
   * Origin of the `@connections` API. Each API's own address serves it as well, and each knows the connections of all,
   * because `AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI` can name only one. Undefined without a WebSocket API.
   */
  readonly managementEndpoint: string | undefined;
  /**
   * Stops listening, ends every connection (1001) and gives `$disconnect` a moment; to be called before the functions
   * are closed. A second call waits for the first.
   */
  close(): Promise<void>;
}

/** What the APIs of a template share. */
type Shared = Omit<Backend, 'api'>;

/**
 * Serves every WebSocket API of a template as API Gateway would: routes, `$connect` with its authorization, route
 * responses, limits, and the `@connections` API.
 *
 * @param options.ports on 127.0.0.1, by logical id of the API; 0, or an API that is not listed: any free one
 * @param options.log told what was refused or failed, without headers, queries and messages
 * @param options.limits those that are not AWS's
 * @throws LocalError when a port is taken or an API has something that cannot be served here; nothing listens then
 */
export async function startWebSocketApis(options: {
  template: Template;
  functions: Pick<Functions, 'invoke'>;
  ports: Readonly<Record<string, number>> | 0;
  log: (sentence: string) => void;
  limits?: Partial<Limits>;
}): Promise<WebSocketApis> {
  const { template, functions, ports, log } = options;
  const underWay = new Set<Promise<void>>();
  const shared: Shared = {
    functions,
    log,
    limits: { ...awsLimits, ...options.limits },
    connections: new Map(),
    handshakes: new Set<Duplex>(),
    track: (work) => void rememberUntilDone(underWay, work, log),
  };
  const apis = new Map<string, LoopbackServer>();
  const stop = () => stopAll([...apis.values()], shared, underWay);
  try {
    for (const apiId of webSocketApiIds(template)) {
      const port = ports === 0 ? 0 : (ports[apiId] ?? 0);
      apis.set(apiId, await serve({ ...shared, api: readWebSocketApi(template, apiId) }, port));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const addresses = [...apis].map(([apiId, { port }]) => [apiId, `127.0.0.1:${port}`] as const);
  const [first] = addresses;
  let stopped: Promise<void> | undefined;
  return {
    apis: new Map(addresses.map(([apiId, address]) => [apiId, { url: `ws://${address}` }])),
    managementEndpoint: first && `http://${first[1]}`,
    close: () => (stopped ??= stop()),
  };
}

function serve(backend: Backend, port: number): Promise<LoopbackServer> {
  const managed = { connections: backend.connections, messageBytes: backend.limits.messageBytes };
  return startLoopbackServer({
    port,
    answer: (message, response) => manage(managed, message, response),
    upgrade: (upgrade) => acceptUpgrade(backend, upgrade),
  });
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
  servers: readonly LoopbackServer[],
  { connections, handshakes, limits }: Shared,
  underWay: ReadonlySet<Promise<void>>,
): Promise<void> {
  const stopped = Promise.all(servers.map((server) => server.stop()));
  for (const socket of handshakes) socket.destroy();
  for (const connection of connections.values()) connection.end(1001);
  await stopped;
  const farewells = (async () => {
    while (underWay.size > 0) await Promise.allSettled(underWay);
  })();
  // Best effort, as on AWS: a function that hangs does not keep the machine from ending.
  await within(limits.farewellMs, farewells, () => new Error('late')).catch(() => {});
}
