import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from '../../functions/core/concurrency.ts';
import { type ReservedPort, reservePort } from '../../lib/http/ports.ts';
import { endpointVariables, publishAwsConfig } from './access/aws-config.ts';
import { type Emulators, startEmulators } from './emulators/emulators.ts';
import { secretsOf } from './emulators/secrets.ts';
import { type AccessRecord, startGateway } from './gateway/gateway.ts';
import { type Functions, startFunctions } from './invoke/invoke.ts';
import type { FunctionLogLine } from './invoke/log-lines.ts';
import { functionName } from './invoke/settings.ts';
import type { Guard } from './permissions/guard.ts';
import { checkRoles, type Permissions, permissionsOf } from './permissions/permissions.ts';
import { createResources, nameOfResource } from './resources/resources.ts';
import { warnOfUnsupported } from './resources/unsupported.ts';
import { type RunningServices, startServices } from './services.ts';
import { startLogNotices } from './sources/log-notices.ts';
import { startQueues } from './sources/queues.ts';
import { startRules } from './sources/rules.ts';
import { startStreams } from './sources/streams/streams.ts';
import { accountConcurrency } from './strict/concurrency.ts';
import { stageThrottle } from './strict/stage-throttle.ts';
import { type Strictness, strictEvents } from './strict/strict.ts';
import { findResource, loadTemplate, type Template } from './template/template.ts';
import { webSocketApiIds } from './websocket/web-socket-api.ts';
import { startWebSocketApis } from './websocket/websocket.ts';

/** Options of running a synthesised stack on this machine. */
export interface RuntimeOptions extends Strictness {
  readonly cloudAssembly: string;
  /** Values of the template's parameters. */
  readonly parameters: Record<string, string>;
  /** Values of the template's conditions that hold in another region: here every ARN is of one region. */
  readonly conditions?: Readonly<Record<string, boolean>>;
  /** Values of secrets of the template that an operator has chosen; names as in `findResource`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Folder of its files. */
  readonly dataDir: string;
  /** Port of the API on 127.0.0.1; 0 for any free one. */
  readonly port: number;
  readonly log: (line: FunctionLogLine) => void;
  readonly warn: (sentence: string) => void;
  readonly onRequest?: (record: AccessRecord) => void;
}

/** A running stack: stores, queues and functions; events start with `open`. */
export interface Runtime {
  readonly template: Template;
  /** Addresses of the emulators. */
  readonly endpoints: RunningServices['endpoints'];
  /** Addresses of the WebSocket APIs, by logical id. */
  readonly sockets: Readonly<Record<string, string>>;
  /** The grants of the functions' roles, and which of them were used. */
  readonly permissions: Permissions;
  /** Returns how often each function has been invoked, by its name. */
  invocations(): ReadonlyMap<string, number>;
  /**
   * Serves the APIs and starts to poll queues, streams and schedules. Returns the address of the REST API, or undefined
   * when the template has none.
   */
  open(): Promise<string | undefined>;
  /** Calls a function of the template and returns its result; `name` as in `findResource`. */
  invoke(name: string, event: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** What is closed at the end, the last first. */
type Closers = (() => Promise<unknown>)[];

/**
 * Runs the stack of a cloud assembly on emulators. Events start with `open`, so that other programs which the functions
 * call can be started before.
 */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const closers: Closers = [];
  const close = once(async () => {
    for (const one of closers.reverse()) await one();
  });
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(options: RuntimeOptions, closers: Closers): Promise<Omit<Runtime, 'close'>> {
  const { dataDir, log, warn, conditions } = options;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // No policy depends on the addresses of the emulators, and keys are part of their start.
  const declared = loadTemplate({ ...options, values: { sqsEndpoint: 'http://127.0.0.1', conditions } });
  const permissions = permissionsOf(declared, warn);
  checkRoles(declared, permissions);
  const { guard, credentialsOf, denialOf, keyOfRole } = permissions;
  const emulators = await startEmulators({ guard });
  closers.push(emulators.close);
  const { writes, send } = emulators;
  const ports = await reservePorts(webSocketApiIds(declared));
  closers.push(() => Promise.all(Object.values(ports).map((port) => port.release())));
  const apiHosts = Object.fromEntries(Object.entries(ports).map(([id, { port }]) => [id, `127.0.0.1:${port}`]));
  const template = loadTemplate({ ...options, values: { sqsEndpoint: emulators.endpoints.sqs, apiHosts, conditions } });
  warnOfUnsupported(template, warn);
  await createResources({ template, endpoints: emulators.endpoints });
  const secrets = secretsOf(template);
  const secretNamed = (name: string) => nameOfResource(findResource(template, 'AWS::SecretsManager::Secret', name));
  for (const [name, value] of Object.entries(options.secrets ?? {})) secrets.set(secretNamed(name), value);
  const concurrency = accountConcurrency(template, options.concurrency);
  const shared = { ...options, template, guard, denialOf, keyOfRole, concurrency };
  const services = await startServices({ ...shared, endpoints: emulators.endpoints, secrets });
  closers.push(services.close);
  const { endpoints } = services;
  await publishAwsConfig(join(dataDir, 'config'), endpoints);
  const variables = endpointVariables(endpoints);
  const functions = startFunctions({ template, endpoints: variables, log, credentialsOf, concurrency });
  closers.push(functions.close);
  return {
    template,
    endpoints,
    sockets: Object.fromEntries(Object.entries(apiHosts).map(([id, host]) => [id, `ws://${host}`])),
    open: () => openSources(options, { template, services, writes, send, functions, ports, guard }, closers),
    permissions,
    invocations: concurrency.counts,
    invoke: (name, event) =>
      functions.invoke(functionName(findResource(template, 'AWS::Lambda::Function', name)), event),
  };
}

async function reservePorts(ids: readonly string[]): Promise<Readonly<Record<string, ReservedPort>>> {
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await reservePort(0)] as const)));
}

/** Everything that event sources need. */
interface Wired extends Pick<Emulators, 'writes' | 'send'> {
  readonly template: Template;
  readonly services: RunningServices;
  readonly functions: Functions;
  readonly ports: Readonly<Record<string, ReservedPort>>;
  readonly guard: Guard;
}

async function openSources(options: RuntimeOptions, wired: Wired, closers: Closers): Promise<string | undefined> {
  const { template, functions, services } = wired;
  const { warn } = options;
  const running: { close(): Promise<void> }[] = [];
  closers.push(() => Promise.all(running.map((source) => source.close())));
  const sources = { ...wired, warn, endpoints: services.endpoints };
  const inBackground = { ...sources, functions: strictEvents(functions, options) };
  running.push(await startStreams(inBackground));
  running.push(await startWebSocketApis({ ...sources, log: warn }));
  const hasRestApi = template.ofType('AWS::ApiGateway::RestApi').length > 0;
  const api = { ...options, admits: stageThrottle(template), template, functions };
  const gateway = hasRestApi ? await startGateway(api) : undefined;
  if (gateway) running.push(gateway);
  const { bus } = services;
  running.push(startQueues(inBackground), startRules({ ...inBackground, bus }));
  running.push(startLogNotices({ ...inBackground, bus }));
  return gateway?.url;
}
