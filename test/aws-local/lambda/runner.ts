import { randomUUID } from 'node:crypto';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { OwnLogs } from './own-logs.ts';
import { callHandler, type RunnableVersion, startVersion, type VersionProcess } from './version-process.ts';
import { AdapterError, callServer, type ServerRequest, type Sink } from './web-adapter.ts';

/** How an invocation ended, and the lines that the version printed meanwhile. */
export interface Outcome {
  /** Why it failed. */
  readonly error: AdapterError | undefined;
  readonly requestId: string;
  readonly lines: readonly string[];
}

/** Runs versions of functions as processes, each started by its first invocation. */
export interface Runner {
  /** Passes what the version answers on while it comes. */
  invoke(runnable: RunnableVersion, request: ServerRequest, sink: Sink): Promise<Outcome>;
  /** Calls the handler of a function that has no server. */
  call(runnable: RunnableVersion, event: string): Promise<void>;
  /** Ends the process of a version once its invocations have ended. */
  retire(name: string, version: string): Promise<void>;
  /** Ends all processes of a function at once. */
  end(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The process that runs a version. */
interface Host {
  readonly runnable: RunnableVersion;
  process: Promise<VersionProcess>;
  running: number;
  retiring: boolean;
  idle: NodeJS.Timeout | undefined;
  readonly listeners: Set<(line: string) => void>;
}

/** A call of a handler. */
interface Call {
  readonly name: string;
  readonly ending: AbortController;
  readonly done: Promise<void>;
}

function endCall({ ending, done }: Call): Promise<void> {
  ending.abort();
  return done;
}

/** Lambda ends environments that are not used after minutes; the next request starts another. */
const IDLE_MS = 5 * 60_000;
/** A process whose connection was lost is waited for this long. */
const END_MS = 500;
/** Turns of the event loop in which the output that is in a pipe is read. */
const OUTPUT_TURNS = 3;

/**
 * Opens the runner. Unlike an environment on Lambda, a process gets requests beside each other: one machine has no room
 * for a process each.
 */
export function openRunner(logs: OwnLogs): Runner {
  const hosts = new Map<string, Host>();
  const calls = new Set<Call>();
  const keyOf = (name: string, version: string) => `${name}:${version}`;

  const start = (runnable: RunnableVersion): Host => {
    const listeners = new Set<(line: string) => void>();
    const line = (stream: string, text: string) => {
      logs(runnable, stream, text);
      for (const listener of listeners) listener(text);
    };
    const process = startVersion(runnable, line);
    return { runnable, process, running: 0, retiring: false, idle: undefined, listeners };
  };
  const hostOf = async (runnable: RunnableVersion): Promise<Host> => {
    const key = keyOf(runnable.name, runnable.version);
    const known = hosts.get(key);
    const hasEnded = known && (await known.process).hasEnded();
    // Two requests that meet a process that has ended must start one new one.
    if (known && !hasEnded && hosts.get(key) === known) return known;
    const other = hosts.get(key);
    if (other && other !== known) return other;
    const created = start(runnable);
    hosts.set(key, created);
    return created;
  };
  const stop = async (host: Host): Promise<void> => {
    clearTimeout(host.idle);
    const key = keyOf(host.runnable.name, host.runnable.version);
    if (hosts.get(key) === host) hosts.delete(key);
    await (await host.process).stop();
  };
  const release = (host: Host): void => {
    host.running -= 1;
    if (host.running > 0) return;
    if (host.retiring) void stop(host);
    else host.idle = setTimeout(() => void stop(host), IDLE_MS).unref();
  };
  const of = (name: string) => [...hosts.values()].filter(({ runnable }) => runnable.name === name);
  return {
    invoke: async (runnable, request, sink) => {
      const host = await hostOf(runnable);
      host.running += 1;
      host.retiring = false;
      clearTimeout(host.idle);
      try {
        return await invoke(host, request, { requestId: randomUUID(), logs, sink });
      } finally {
        release(host);
      }
    },
    call: async (runnable, event) => {
      const ending = new AbortController();
      const line = (stream: string, text: string) => logs(runnable, stream, text);
      const { signal } = ending;
      const call = { name: runnable.name, ending, done: callHandler(runnable, event, { line, signal }) };
      calls.add(call);
      await call.done.finally(() => calls.delete(call));
    },
    retire: async (name, version) => {
      const host = hosts.get(keyOf(name, version));
      if (!host) return;
      host.retiring = true;
      if (host.running === 0) await stop(host);
    },
    end: async (name) => {
      const ended = [...calls].filter((call) => call.name === name);
      await Promise.all([...of(name).map(stop), ...ended.map(endCall)]);
    },
    close: async () => void (await Promise.all([...[...hosts.values()].map(stop), ...[...calls].map(endCall)])),
  };
}

interface InvocationOf {
  readonly requestId: string;
  readonly logs: OwnLogs;
  readonly sink: Sink;
}

async function invoke(host: Host, request: ServerRequest, { requestId, logs, sink }: InvocationOf): Promise<Outcome> {
  const { settings, version } = host.runnable;
  const { process: starting, listeners } = host;
  const lines: string[] = [];
  const listen = (line: string) => lines.push(line);
  listeners.add(listen);
  const running = await starting;
  const note = (message: string) => {
    lines.push(message);
    logs(host.runnable, running.logStream, message);
  };
  const began = performance.now();
  note(`START RequestId: ${requestId} Version: ${version}`);
  const error = await withinTimeout(running, { request, sink }, settings.timeoutSeconds);
  // What was printed before the response is in the pipe by now, but the response may have been read first.
  for (let turns = 0; turns < OUTPUT_TURNS; turns += 1) await turn();
  if (error) for (const line of failureLines(error, requestId)) note(line);
  const ms = (performance.now() - began).toFixed(2);
  note(`END RequestId: ${requestId}`);
  note(`REPORT RequestId: ${requestId}\tDuration: ${ms} ms\tMemory Size: ${settings.memoryMb} MB`);
  listeners.delete(listen);
  return { error, requestId, lines };
}

/** Returns the lines that Lambda logs about a failed invocation. */
function failureLines({ errorType, message }: AdapterError, requestId: string): readonly string[] {
  if (errorType !== 'Runtime.ExitError') return [`${new Date().toISOString()} ${requestId} ${message}`];
  return [`RequestId: ${requestId} ${message}`, errorType];
}

/** The connection is lost a moment before the process has ended; Lambda then says how it did. */
async function endOf({ gone }: VersionProcess, error: AdapterError): Promise<AdapterError> {
  if (error.errorType !== 'Runtime.ExitError') return error;
  const reason = await Promise.race([gone, pause(END_MS)]);
  return reason === undefined ? error : new AdapterError('Runtime.ExitError', `Error: ${reason}`);
}

/** The time of a start counts, as it does on Lambda for a server that the web adapter waits for. */
async function withinTimeout(
  running: VersionProcess,
  { request, sink }: { readonly request: ServerRequest; readonly sink: Sink },
  seconds: number,
): Promise<AdapterError | undefined> {
  const signal = AbortSignal.timeout(seconds * 1000);
  const late = new AdapterError('Sandbox.Timedout', `Task timed out after ${seconds.toFixed(2)} seconds`);
  const timedOut = new Promise<'late'>((resolve) => signal.addEventListener('abort', () => resolve('late')));
  try {
    if ((await Promise.race([running.ready, timedOut])) === 'late') return late;
    await callServer(running.port, request, signal, sink);
    return undefined;
  } catch (error) {
    if (signal.aborted) return late;
    if (error instanceof AdapterError) return endOf(running, error);
    throw error;
  }
}
