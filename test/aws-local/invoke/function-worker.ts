import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FunctionError } from './function-error.ts';
import type { Invocation } from './invocation.ts';
import { eachLine, type FunctionLogLine } from './log-lines.ts';
import type { ErrorDescription, FromWorker, ToWorker } from './messages.ts';
import type { FunctionSettings } from './settings.ts';

// Loading a bundle takes tens of milliseconds; a loaded machine may need seconds.
const LOAD_TIMEOUT_MS = 60_000;

/** A thread that runs one function's bundle. After a crash, an exit or `stop` it is not started again. */
export interface FunctionWorker {
  readonly alive: boolean;
  /** Resolves when the bundle is loaded; rejects with FunctionError `Runtime.ImportModuleError` when it cannot be. */
  readonly ready: Promise<void>;
  open(id: string, invocation: Invocation): void;
  /** Removes an invocation: its result is ignored. */
  release(id: string): void;
  send(message: ToWorker): void;
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
  const open = new OpenInvocations((message) => worker.postMessage(message));
  let isAlive = true;
  let crash: Error | undefined;
  worker.on('message', (message: FromWorker) => {
    if (message.kind !== 'ready') open.receive(message);
  });
  worker.on('error', (error) => {
    crash = error;
    isAlive = false;
    line('stderr')(`the worker of ${settings.name} ended: ${error.stack ?? error.message}`);
  });
  worker.on('exit', (code) => {
    isAlive = false;
    open.failAll(exitError(code, crash));
  });
  return {
    get alive() {
      return isAlive;
    },
    ready: loaded(worker, settings),
    open: (id, invocation) => open.add(id, invocation),
    release: (id) => open.remove(id),
    send: (message) => {
      if (message.kind === 'invoke') thaw(invocations);
      worker.postMessage(message);
    },
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
  const { bundle, exportName, environment, memoryMb } = settings;
  return new Worker(new URL('./worker.mjs', import.meta.url), {
    workerData: { bundle, exportName, invocations },
    env: { ...environment },
    // Without the parent's loaders: the bundle must run unchanged.
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: Math.max(1024, memoryMb * 2) },
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

type Outcome = Extract<FromWorker, { kind: 'chunks' | 'result' | 'failed' }>;

/** The invocations that one worker runs, by id: each gets the chunks and the result that the worker sends for it. */
export class OpenInvocations {
  readonly #open = new Map<string, Invocation>();
  readonly #send: (message: ToWorker) => void;

  constructor(send: (message: ToWorker) => void) {
    this.#send = send;
  }

  add(id: string, invocation: Invocation): void {
    this.#open.set(id, invocation);
  }

  remove(id: string): void {
    this.#open.delete(id);
  }

  receive(message: Outcome): void {
    if (message.kind === 'chunks') {
      for (const { id, chunk } of message.chunks) this.#deliver(id, chunk);
      return;
    }
    const invocation = this.#open.get(message.id);
    this.#open.delete(message.id);
    if (message.kind === 'result') invocation?.succeed(message.result);
    else invocation?.fail(message.error);
  }

  failAll(error: ErrorDescription): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const invocation of open) invocation.fail(error);
  }

  /** Bytes for an invocation that was removed are acknowledged; otherwise the function would wait forever. */
  #deliver(id: string, chunk: Uint8Array): void {
    const invocation = this.#open.get(id);
    if (invocation) invocation.chunk(chunk);
    else this.#send({ kind: 'ack', id, bytes: chunk.byteLength });
  }
}
