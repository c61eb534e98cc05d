import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FunctionError } from './function-error.ts';
import type { Invocation } from './invocation.ts';
import { eachLine, type FunctionLogLine } from './log-lines.ts';
import type { ErrorDescription, FromWorker, ToWorker } from './messages.ts';
import type { FunctionSettings } from './settings.ts';

// Loading a bundle takes tens of milliseconds; a loaded machine may need seconds.
const LOAD_TIMEOUT_MS = 60_000;
// A worker that does not answer for so long after a timeout is caught in a loop and would time out for ever.
const PING_TIMEOUT_MS = 5_000;

/** A thread that has loaded one function's bundle. It dies with its process, its crash or `stop`, and stays dead. */
export interface FunctionWorker {
  readonly alive: boolean;
  /** Resolves when the bundle is loaded; rejects with FunctionError `Runtime.ImportModuleError` when it cannot be. */
  readonly ready: Promise<void>;
  open(id: string, invocation: Invocation): void;
  /** Forgets an invocation, whose later outcome is nobody's concern; its streamed bytes are still acknowledged. */
  release(id: string): void;
  send(message: ToWorker): void;
  /** Makes sure the thread still turns; one that does not is ended. */
  probe(): void;
  stop(): Promise<void>;
}

/** Starts the thread of a function. `log` gets what it prints, and why it died if it does. */
export function startWorker(settings: FunctionSettings, log: (line: FunctionLogLine) => void): FunctionWorker {
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
    workerData: { bundle: settings.bundle, exportName: settings.exportName },
    env: { ...settings.environment },
    // Not the parent's loaders: the bundle must run as it is.
    execArgv: [],
    stdout: true,
    stderr: true,
    // One thread serves as many invocations at a time as Lambda would start machines: memory is per function, not per call.
    resourceLimits: { maxOldGenerationSizeMb: Math.max(1024, settings.memoryMb * 2) },
  });
  const line = (stream: 'stdout' | 'stderr') => (text: string) => log({ functionName: settings.name, stream, text });
  eachLine(worker.stdout, line('stdout'));
  eachLine(worker.stderr, line('stderr'));

  const invocations = new Map<string, Invocation>();
  let state: 'loading' | 'ready' | 'dead' = 'loading';
  let lastPong = 0;
  let crash: Error | undefined;

  const endAll = (error: ErrorDescription): void => {
    const open = [...invocations.values()];
    invocations.clear();
    for (const invocation of open) invocation.fail(error);
  };
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') state = 'ready';
    else if (message.kind === 'pong') lastPong = Date.now();
    else if (message.kind === 'chunks') for (const { id, chunk } of message.chunks) deliver(id, chunk);
    else settle(message);
  });
  const deliver = (id: string, chunk: Uint8Array): void => {
    const invocation = invocations.get(id);
    if (invocation) invocation.chunk(chunk);
    else worker.postMessage({ kind: 'ack', id, bytes: chunk.byteLength } satisfies ToWorker);
  };
  const settle = (message: Extract<FromWorker, { kind: 'result' | 'failed' }>): void => {
    const invocation = invocations.get(message.id);
    invocations.delete(message.id);
    if (message.kind === 'result') invocation?.succeed(message.result);
    else invocation?.fail(message.error);
  };
  worker.on('error', (error) => {
    crash = error;
    state = 'dead';
    line('stderr')(`the worker of ${settings.name} ended: ${error.stack ?? error.message}`);
  });
  worker.on('exit', (code) => {
    state = 'dead';
    endAll({
      errorType: 'Runtime.ExitError',
      errorMessage: crash ? `the function crashed: ${crash.message}` : `the function exited with code ${code}`,
      trace: crash?.stack?.split('\n') ?? [],
    });
  });

  return {
    get alive() {
      return state !== 'dead';
    },
    ready: loaded(worker, settings),
    open: (id, invocation) => void invocations.set(id, invocation),
    release: (id) => void invocations.delete(id),
    send: (message) => worker.postMessage(message),
    probe: () => {
      const asked = Date.now();
      worker.postMessage({ kind: 'ping' } satisfies ToWorker);
      setTimeout(() => {
        if (lastPong < asked) void worker.terminate();
      }, PING_TIMEOUT_MS).unref();
    },
    stop: async () => {
      await worker.terminate();
    },
  };
}

async function loaded(worker: Worker, { name }: FunctionSettings): Promise<void> {
  const giveUp = AbortSignal.timeout(LOAD_TIMEOUT_MS);
  const gone = once(worker, 'exit', { signal: giveUp }).then(([code]) => {
    throw new Error(`it exited with code ${code}`);
  });
  gone.catch(() => {});
  try {
    await Promise.race([once(worker, 'message', { signal: giveUp }), gone]);
  } catch (cause) {
    void worker.terminate();
    const message = cause instanceof Error ? cause.message : String(cause);
    const errorMessage = `${name} could not be loaded: ${message}`;
    throw new FunctionError({ errorType: 'Runtime.ImportModuleError', errorMessage, trace: [] }, { cause });
  }
}
