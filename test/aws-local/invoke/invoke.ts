import { OperatorError } from '../../../lib/processes/operator-error.ts';
import type { Template } from '../template/template.ts';
import { FunctionHost, type HostedFunction } from './function-host.ts';
import type { FunctionLogLine } from './log-lines.ts';
import type { Prelude } from './prelude.ts';
import { type Credentials, type FunctionSettings, functionName, functionSettings } from './settings.ts';

/** The functions of the template, run in worker threads of this process. */
export interface Functions {
  /**
   * Invokes a function and returns its result, serialised to JSON and parsed as on AWS.
   *
   * @throws FunctionError when the handler throws, times out, or its worker dies; PayloadTooLarge for an event over
   *   6 MB; OperatorError for a function that is not in the template
   */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /**
   * Invokes a streaming function; resolves with the head of its response. Leaving `body` early discards the rest, and
   * the function continues without knowing, as on AWS. `body` throws FunctionError when the function fails later.
   */
  invokeStreaming(
    functionName: string,
    event: unknown,
  ): Promise<{ readonly prelude: Prelude; readonly body: AsyncIterableIterator<Uint8Array> }>;
  /** Loads a function's bundle now, so that its first call does not wait for it. */
  warm(functionName: string): Promise<void>;
  /** Terminates every worker; running invocations fail with FunctionError. */
  close(): Promise<void>;
}

/**
 * Runs the functions of a template: one worker thread each, started at the first call and again after a crash. A
 * thread serves many invocations at a time, where Lambda would start as many machines; what a function keeps in its
 * module scope is therefore shared, as it is between the calls of one warm machine.
 *
 * @param options.host runs one function; by default, in one worker for all its invocations
 * @param options.credentialsOf returns the key of a function; by default, all have that of the person who started this
 * @param options.endpoints emulator addresses by service, e.g. `{ DYNAMODB, SQS, S3, KMS, SECRETS_MANAGER }`
 */
export function startFunctions(options: {
  template: Template;
  endpoints: Record<string, string>;
  log: (line: FunctionLogLine) => void;
  credentialsOf?: (functionName: string) => Credentials;
  host?: (settings: FunctionSettings) => HostedFunction;
}): Functions {
  const declared = new Map(
    options.template.ofType('AWS::Lambda::Function').map((resource) => [functionName(resource), resource]),
  );
  const hosts = new Map<string, HostedFunction>();
  const { credentialsOf, host: hosted = (settings) => new FunctionHost(settings, options.log) } = options;
  let closed = false;

  const host = (name: string): HostedFunction => {
    if (closed) throw new OperatorError('the functions were closed');
    const known = hosts.get(name);
    if (known) return known;
    const resource = declared.get(name);
    if (!resource) throw new OperatorError(`function ${name} is not in the template`);
    const created = hosted(functionSettings(resource, options.endpoints, credentialsOf?.(name)));
    hosts.set(name, created);
    return created;
  };
  return {
    invoke: async (name, event) => host(name).invoke(event),
    invokeStreaming: async (name, event) => host(name).invokeStreaming(event),
    warm: async (name) => void (await host(name).worker()),
    close: async () => {
      closed = true;
      await Promise.all([...hosts.values()].map((one) => one.stop()));
    },
  };
}
