import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { once } from '../../../functions/core/concurrency.ts';
import { bundled, programFolder } from '../../bundle/bundle.mjs';
import { hostName } from '../../http/app-domain.ts';
import type { Platform, PlatformOptions } from '../platform.ts';
import type { Log, PlatformEvent } from '../settings.ts';

export interface ThreadOptions
  extends Pick<
    PlatformOptions,
    | 'dataDir'
    | 'serviceToken'
    | 'limits'
    | 'publicDomain'
    | 'publicService'
    | 'users'
    | 'memoryLimits'
    | 'processLimits'
  > {
  /** The file of the stable ports; that of the platform is `platform`. */
  readonly ports: string;
  /** The folder of the reserve of the disk, which another thread opens. */
  readonly reserve: string;
}

/** The calls of the platform from another thread. Everything else goes over HTTP. */
export interface PlatformCalls extends Pick<Platform, 'serveUsers' | 'hasHost' | 'close'> {
  /** Starts the platform; returns the address of its API. */
  start(options: ThreadOptions): Promise<string>;
}

export interface Call {
  readonly id: number;
  readonly name: keyof PlatformCalls;
  readonly args: readonly unknown[];
}

/** A message from the thread: the answer to a call, an event, or a sentence for the operator. */
export type Message =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: Error }
  | { readonly event: PlatformEvent }
  | { readonly domains: readonly string[] }
  | { readonly warning: string };

interface PlatformThread extends PlatformCalls {
  /** Resolves with the reason when the thread ends unexpectedly. */
  readonly failed: Promise<Error>;
  /** As that of the platform. */
  hasDomain(host: string): boolean;
}

const SOURCE = fileURLToPath(new URL('program.ts', import.meta.url));

interface ThreadParts {
  readonly log: Log;
  /** Gets sentences for the operator. */
  readonly warn: (sentence: string) => void;
  /** The file that it runs; default: the bundle of `program.ts`. */
  readonly program?: string;
}

/** Makes the thread; the platform is not started yet. */
export async function platformThread(parts: ThreadParts): Promise<PlatformThread> {
  const { log, warn, program = await bundledProgram() } = parts;
  const worker = new Worker(program, { name: 'platform', execArgv: [] });
  const failed = new Promise<Error>((resolve) => {
    worker.once('error', resolve);
    worker.once('exit', (code) => resolve(new Error(`it ended with ${code}`)));
  });
  let domains: ReadonlySet<string> = new Set();
  const named = (names: readonly string[]) => {
    domains = new Set(names);
  };
  const ask = asking(worker, failed, { log, warn, named });
  return {
    failed,
    start: (options) => ask('start', options),
    serveUsers: (names) => ask('serveUsers', names),
    hasHost: (host) => ask('hasHost', host),
    hasDomain: (host) => domains.has(hostName(host)),
    close: once(async () => {
      await Promise.race([failed, ask('close')]);
      await worker.terminate();
    }),
  };
}

/** Returns what sends a call to the thread and resolves with its answer. Other messages go to the log. */
function asking(
  worker: Worker,
  failed: Promise<Error>,
  { log, warn, named }: Pick<ThreadParts, 'log' | 'warn'> & { readonly named: (domains: readonly string[]) => void },
) {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let ended: Error | undefined;
  void failed.then((error) => {
    ended = error;
    for (const { reject } of waiting.values()) reject(error);
  });
  worker.on('message', (message: Message) => {
    if ('event' in message) return log(message.event);
    if ('warning' in message) return warn(message.warning);
    if ('domains' in message) return named(message.domains);
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if ('error' in message) reject?.(message.error);
    else resolve?.(message.value as never);
  });
  let calls = 0;
  return <T>(name: keyof PlatformCalls, ...args: readonly unknown[]) =>
    new Promise<T>((resolve, reject) => {
      if (ended) return reject(ended);
      calls += 1;
      waiting.set(calls, { resolve, reject });
      worker.postMessage({ id: calls, name, args } satisfies Call);
    });
}

async function bundledProgram(): Promise<string> {
  // CommonJS starts faster than an ES module.
  const outfile = join(programFolder(), 'platform-thread.cjs');
  await bundled({ entry: SOURCE, outfile, format: 'cjs' });
  return outfile;
}
