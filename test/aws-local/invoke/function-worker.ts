import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FunctionError } from './function-error.ts';
import { eachLine, type FunctionLogLine } from './log-lines.ts';
import type { ErrorDescription, FromWorker, ToWorker } from './messages.ts';
import type { FunctionSettings } from './settings.ts';

// Loading a bundle takes tens of milliseconds; a loaded machine may need seconds.
const LOAD_TIMEOUT_MS = 60_000;
/** More than a function of the template has: here its heap grows before it is collected. */
const MEMORY_MB = 2048;

/** The callbacks of an invocation. Each gets one result or one failure. */
export interface Invocation {
  succeed(result: string): void;
  fail(error: ErrorDescription): void;
  chunk(bytes: Uint8Array): void;
}

/** A thread that runs one function's bundle. After a crash, an exit or `stop` it is not started again. */
export interface FunctionWorker {
  readonly alive: boolean;
  /** Resolves when the bundle is loaded; rejects with FunctionError `Runtime.ImportModuleError` when it cannot be. */
  readonly ready: Promise<void>;
  /** Begins an invocation; there is one at a time. */
  invoke(message: Extract<ToWorker, { kind: 'invoke' }>, invocation: Invocation): void;
  /** Lets the function write the next chunk. */
  acknowledge(): void;
  stop(): Promise<void>;
}

/**
 * Starts the thread of a function, which gets one invocation at a time and is blocked between them. `log` gets what it prints, and the
 * reason when it crashes.
 */
export function startWorker(settings: FunctionSettings, log: (line: FunctionLogLine) => void): FunctionWorker {
  const invocations = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = createThread(settings, invocations);
  const line = (stream: 'stdout' | 'stderr') => (text: string) => log({ functionName: settings.name, stream, text });
  eachLine(worker.stdout, line('stdout'));
  eachLine(worker.stderr, line('stderr'));
  const post = (message: ToWorker) => worker.postMessage(message);
  let running: Invocation | undefined;
  let isAlive = true;
  let crash: Error | undefined;
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') return;
    if (message.kind === 'chunk') return running?.chunk(message.chunk);
    const ended = running;
    running = undefined;
    if (message.kind === 'result') ended?.succeed(message.result);
    else ended?.fail(message.error);
  });
  worker.on('error', (error) => {
    crash = error;
    isAlive = false;
    line('stderr')(`the worker of ${settings.name} ended: ${error.stack ?? error.message}`);
  });
  worker.on('exit', (code) => {
    isAlive = false;
    running?.fail(exitError(code, crash));
  });
  return {
    get alive() {
      return isAlive;
    },
    ready: loaded(worker, settings),
    invoke: (message, invocation) => {
      running = invocation;
      thaw(invocations);
      post(message);
    },
    acknowledge: () => post({ kind: 'ack' }),
    stop: async () => {
      await worker.terminate();
    },
  };
}

/** Counts an invocation, for which the thread may be waiting. */
function thaw(invocations: Int32Array): void {
  Atomics.add(invocations, 0, 1);
  Atomics.notify(invocations, 0);
}

function createThread(settings: FunctionSettings, invocations: Int32Array): Worker {
  const { bundle, exportName, environment } = settings;
  return new Worker(new URL('./worker.mjs', import.meta.url), {
    workerData: { bundle, exportName, invocations },
    env: { ...environment },
    // Without the parent's loaders: the bundle must run unchanged.
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
}

function exitError(code: number, crash: Error | undefined): ErrorDescription {
  return {
    errorType: 'Runtime.ExitError',
    errorMessage: crash ? `the function crashed: ${crash.message}` : `the function exited with code ${code}`,
    trace: crash?.stack?.split('\n') ?? [],
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
