import { OperatorError } from '../../../lib/files/errors.ts';
import { accountConcurrency, type Concurrency } from '../strict/concurrency.ts';
import { FunctionIsolates } from '../strict/isolates.ts';
import type { Template } from '../template/template.ts';
import type { FunctionLogLine } from './log-lines.ts';
import type { Prelude } from './prelude.ts';
import { type Credentials, functionName, functionSettings } from './settings.ts';

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
  /** Terminates every worker; running invocations fail with FunctionError. */
  close(): Promise<void>;
}

/**
 * Runs the functions of a template, each in isolates of its own.
 *
 * @param options.concurrency of the account; by default, that of a new one
 * @param options.idleMs after this time without an invocation, an isolate ends
 * @param options.credentialsOf returns the key of a function; by default, all have that of the operator
 * @param options.endpoints the variables with the addresses of the emulators
 */
export function startFunctions(options: {
  template: Template;
  endpoints: Record<string, string>;
  log: (line: FunctionLogLine) => void;
  credentialsOf?: (functionName: string) => Credentials;
  concurrency?: Concurrency;
  idleMs?: number;
}): Functions {
  const declared = new Map(
    options.template.ofType('AWS::Lambda::Function').map((resource) => [functionName(resource), resource]),
  );
  const hosts = new Map<string, FunctionIsolates>();
  const { template, credentialsOf, log, idleMs, concurrency = accountConcurrency(template) } = options;
  const isolates = { log, concurrency, ...(idleMs !== undefined && { idleMs }) };
  let closed = false;

  const host = (name: string): FunctionIsolates => {
    if (closed) throw new OperatorError('the functions were closed');
    const known = hosts.get(name);
    if (known) return known;
    const resource = declared.get(name);
    if (!resource) throw new OperatorError(`function ${name} is not in the template`);
    const created = new FunctionIsolates(
      functionSettings(resource, options.endpoints, credentialsOf?.(name)),
      isolates,
    );
    hosts.set(name, created);
    return created;
  };
  return {
    invoke: async (name, event) => host(name).invoke(event),
    invokeStreaming: async (name, event) => host(name).invokeStreaming(event),
    close: async () => {
      closed = true;
      await Promise.all([...hosts.values()].map((one) => one.stop()));
    },
  };
}
