import { FunctionHost, type HostedFunction } from '../invoke/function-host.ts';
import type { FunctionLogLine } from '../invoke/log-lines.ts';
import type { FunctionSettings } from '../invoke/settings.ts';
import type { Concurrency } from './concurrency.ts';

/** Options of the isolates of a function. */
export interface IsolateOptions {
  readonly log: (line: FunctionLogLine) => void;
  readonly concurrency: Concurrency;
  /** After this time without an invocation, an isolate ends. */
  readonly idleMs?: number;
}

const IDLE_MS = 60_000;

/** An isolate, and the timer that ends it when it is idle. */
interface Isolate {
  readonly host: FunctionHost;
  reaper?: NodeJS.Timeout;
}

/**
 * A function as Lambda runs it: each isolate has one invocation at a time and module scope of its own. An invocation
 * takes the isolate that was used last; when all have work, another one starts, cold. What has timed out ends.
 */
export class FunctionIsolates implements HostedFunction {
  readonly #settings: FunctionSettings;
  readonly #options: IsolateOptions;
  readonly #all = new Set<Isolate>();
  /** Those without work; the one that was used last is the last. */
  readonly #idle: Isolate[] = [];

  constructor(settings: FunctionSettings, options: IsolateOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  invoke(event: unknown): Promise<unknown> {
    return this.#run(({ host }, done) => host.invoke(event, done));
  }

  invokeStreaming(event: unknown): ReturnType<HostedFunction['invokeStreaming']> {
    return this.#run(({ host }, done) => host.invokeStreaming(event, done));
  }

  async stop(): Promise<void> {
    for (const { reaper } of this.#all) clearTimeout(reaper);
    await Promise.all([...this.#all].map(({ host }) => host.stop()));
  }

  /** `work` gets what is called when the invocation has ended, which for a stream is after its head has come. */
  async #run<T>(work: (isolate: Isolate, done: () => void) => Promise<T>): Promise<T> {
    const giveBack = this.#options.concurrency.take(this.#settings.name);
    const isolate = this.#idle.pop() ?? this.#start();
    clearTimeout(isolate.reaper);
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      giveBack();
      this.#rest(isolate);
    };
    try {
      return await work(isolate, done);
    } catch (error) {
      // Some events do not even reach the function.
      done();
      throw error;
    }
  }

  #start(): Isolate {
    const isolate = { host: new FunctionHost(this.#settings, this.#options.log) };
    this.#all.add(isolate);
    return isolate;
  }

  #rest(isolate: Isolate): void {
    this.#idle.push(isolate);
    isolate.reaper = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(isolate), 1);
      this.#all.delete(isolate);
      void isolate.host.stop();
    }, this.#options.idleMs ?? IDLE_MS).unref();
  }
}
