import { once } from '../../functions/core/concurrency.ts';
import type { OperatorError } from '../../lib/files/errors.ts';
import type { OtherHosts } from '../../lib/http/listeners.ts';
import { type ReservedPort, reservePort } from '../../lib/http/ports.ts';
import type { TrustsAddress } from '../../lib/http/trusted-addresses.ts';
import { type Emulators, type Endpoints, startEmulators } from './emulators/emulators.ts';
import { type AccessRecord, startGateway } from './gateway/gateway.ts';
import { type Functions, startFunctions } from './invoke/invoke.ts';
import type { Invoker } from './invoke/invoker.ts';
import type { FunctionLogLine } from './invoke/log-lines.ts';
import { functionName } from './invoke/settings.ts';
import type { Guard } from './permissions/guard.mjs';
import { checkRoles, type Permissions, permissionsOf } from './permissions/permissions.ts';
import { createResources, nameOfResource } from './resources/resources.ts';
import { warnOfUnsupported } from './resources/unsupported.ts';
import { type RunningServices, startServices } from './services.ts';
import { startEventRules } from './sources/events/rules.ts';
import { startExpiry } from './sources/expiry/expiry.ts';
import { startLogNotices } from './sources/logs/log-notices.ts';
import { startQueues } from './sources/queues/queues.ts';
import { startSchedules } from './sources/schedules.ts';
import { startStreams } from './sources/streams/streams.ts';
import { accountConcurrency } from './strict/concurrency.ts';
import { stageThrottle } from './strict/stage-throttle.ts';
import { eventInvoker, lag, type Strictness } from './strict/strict.ts';
import { findResource, loadTemplate, type Template } from './template/template.ts';
import { webSocketApiIds } from './websocket/web-socket-api.ts';
import { startWebSocketApis } from './websocket/websocket.ts';

/** Options of running a synthesised stack on this machine. */
export interface RuntimeOptions extends Strictness {
  readonly cloudAssembly: string;
  /** Values of the template's parameters. */
  readonly parameters: Record<string, string>;
  /** Values of secrets of the template that an operator has chosen; names as in `findResource`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Folder of its data. */
  readonly dataDir: string;
  /** Port of the API on 127.0.0.1; 0 for any free one. */
  readonly port: number;
  /** An address that the API listens on besides 127.0.0.1. */
  readonly host?: string;
  /** The proxies whose `X-Forwarded-*` headers are trusted; default: programs of this machine. */
  readonly trusts?: TrustsAddress;
  /** Proxies: the source address of their requests is that of their client; default: none. */
  readonly proxies?: TrustsAddress;
  readonly log: (line: FunctionLogLine) => void;
  readonly warn: (sentence: string) => void;
  /** Gets what the person who starts it has to know; `warn` when absent. */
  readonly notice?: (sentence: string) => void;
  readonly onRequest?: (record: AccessRecord) => void;
  /** Another program on the API's port, under host names of its own. */
  readonly otherHosts?: OtherHosts;
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
  /** Returns the value of a secret of the template; `name` as in `findResource`. */
  secretValue(name: string): string;
  /**
   * Serves the APIs and starts to poll queues, streams and schedules. Returns the address of the REST API, or undefined
   * when the template has none.
   */
  open(): Promise<string | undefined>;
  /** Calls a function of the template and returns its result; `name` as in `findResource`. */
  invoke(name: string, event: unknown): Promise<unknown>;
  /** Settles with the reason when a part stops by itself. */
  readonly failed: Promise<OperatorError>;
  close(): Promise<void>;
}

/**
 * Runs the stack of a cloud assembly on emulators. Events start with `open`, so that other programs which the functions
 * call can be started before.
 */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { dataDir, log } = options;
  const permissions = readPermissions(options);
  const { guard, credentialsOf } = permissions;
  const { warn, notice } = options;
  const emulators = await startEmulators({ dataDir, warn, notice, permissions, ...lag(options) });
  const { endpoints } = emulators;
  const closers: (() => Promise<unknown>)[] = [() => emulators.close()];
  const close = once(async () => {
    for (const one of closers.reverse()) await one();
  });
  try {
    const { template, ports } = await templateWithSockets(options, endpoints);
    closers.push(() => Promise.all(Object.values(ports).map((port) => port.release())));
    warnOfUnsupported(template, warn);
    await createResources({ template, endpoints });
    const secretNamed = (name: string) => nameOfResource(findResource(template, 'AWS::SecretsManager::Secret', name));
    for (const [name, value] of Object.entries(options.secrets ?? {})) emulators.useSecret(secretNamed(name), value);
    const concurrency = accountConcurrency(template, options.concurrency);
    const services = await startServices({ ...options, template, endpoints, guard, concurrency });
    closers.push(services.close);
    const addresses = endpointVariables(services.endpoints);
    const functions = startFunctions({ template, endpoints: addresses, log, credentialsOf, concurrency });
    closers.push(() => functions.close());
    return {
      template,
      endpoints: services.endpoints,
      sockets: Object.fromEntries(Object.entries(ports).map(([id, { port }]) => [id, `ws://127.0.0.1:${port}`])),
      open: async () => {
        const opened = await openSources(options, { template, emulators, services, functions, ports, guard });
        closers.push(opened.close);
        return opened.url;
      },
      permissions,
      invocations: concurrency.counts,
      close,
      failed: emulators.failed,
      secretValue: (name) => emulators.secretValue(secretNamed(name)),
      invoke: async (name, event) => functions.invoke(functionNamed(template, name), event),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Reads the policies before anything is started: keys are part of the start of each emulator, and no policy depends on
 * their addresses.
 */
function readPermissions(options: RuntimeOptions): Permissions {
  const template = loadTemplate({ ...options, values: { sqsEndpoint: 'http://127.0.0.1' } });
  const permissions = permissionsOf(template, options.warn);
  checkRoles(template, permissions);
  return permissions;
}

/** Loads the template with the addresses of its WebSocket APIs, which functions get in their environment. */
async function templateWithSockets(options: RuntimeOptions, endpoints: Endpoints) {
  const values = { sqsEndpoint: endpoints.sqs };
  const ids = webSocketApiIds(loadTemplate({ ...options, values }));
  const reserved = await Promise.all(ids.map(async (id) => [id, await reservePort(0)] as const));
  const ports = Object.fromEntries(reserved);
  const apiHosts = Object.fromEntries(Object.entries(ports).map(([id, { port }]) => [id, `127.0.0.1:${port}`]));
  return { template: loadTemplate({ ...options, values: { ...values, apiHosts } }), ports };
}

/** Everything that event sources need. */
interface Wired {
  readonly template: Template;
  readonly emulators: Emulators;
  readonly services: RunningServices;
  readonly functions: Functions;
  readonly ports: Readonly<Record<string, ReservedPort>>;
  readonly guard: Guard;
}

async function openSources(
  options: RuntimeOptions,
  { emulators, ...parts }: Wired,
): Promise<{ url: string | undefined; close(): Promise<void> }> {
  const wired = { ...parts, endpoints: emulators.endpoints };
  const { template, functions } = wired;
  const { warn } = options;
  const running: { close(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(running.map((source) => source.close()));
  };
  try {
    const events = eventInvoker(functions, options);
    const streams = await startStreams({ ...wired, warn, functions: events });
    running.push(streams);
    const waking = (invoker: Invoker) => wakingStreams(invoker, () => streams.wake());
    const sources = { ...wired, warn, functions: { ...functions, ...waking(functions) } };
    const inBackground = { ...sources, functions: waking(events) };
    running.push(
      await startWebSocketApis({ ...sources, ...(options.proxies && { proxies: options.proxies }), log: warn }),
    );
    const hasRestApi = template.ofType('AWS::ApiGateway::RestApi').length > 0;
    const api = { ...options, admits: stageThrottle(template), template, functions: sources.functions };
    const gateway = hasRestApi ? await startGateway(api) : undefined;
    if (gateway) running.push(gateway);
    running.push(startQueues(inBackground));
    running.push(startSchedules(inBackground), startExpiry(sources));
    running.push(startEventRules({ ...inBackground, bus: wired.services.events }));
    running.push(startLogNotices({ ...inBackground, notices: wired.services.notices }));
    return { url: gateway?.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The streams are read at once after each invocation, which may have written. */
function wakingStreams(functions: Invoker, wake: () => void): Invoker {
  return {
    invoke: async (name, event) => {
      try {
        return await functions.invoke(name, event);
      } finally {
        wake();
      }
    },
  };
}

function functionNamed(template: Template, name: string): string {
  return functionName(findResource(template, 'AWS::Lambda::Function', name));
}

function endpointVariables(endpoints: RunningServices['endpoints']): Record<string, string> {
  return {
    LAMBDA: endpoints.lambda,
    CODEBUILD: endpoints.codeBuild,
    CLOUDWATCH_LOGS: endpoints.logs,
    DYNAMODB: endpoints.dynamodb,
    SQS: endpoints.sqs,
    S3: endpoints.s3,
    KMS: endpoints.kms,
    SECRETS_MANAGER: endpoints.secretsManager,
    // It answers that it has no such operation: no call reaches AWS from here.
    '': endpoints.kms,
  };
}
