import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { FunctionError, PayloadTooLarge } from './function-error.ts';
import { type FunctionWorker, type Invocation, startWorker } from './function-worker.ts';
import type { FunctionLogLine } from './log-lines.ts';
import type { ErrorDescription } from './messages.ts';
import { type Prelude, splitPrelude } from './prelude.ts';
import type { FunctionSettings } from './settings.ts';

// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;

/** A function that can be invoked. */
export interface HostedFunction {
  invoke(event: unknown): Promise<unknown>;
  invokeStreaming(event: unknown): Promise<{ prelude: Prelude; body: AsyncIterableIterator<Uint8Array> }>;
  stop(): Promise<void>;
}

/**
 * An isolate of a function, which has one invocation at a time: its worker, started when needed, and again after a crash
 * or a timeout.
 */
export class FunctionHost implements HostedFunction {
  readonly #settings: FunctionSettings;
  readonly #log: (line: FunctionLogLine) => void;
  #worker: FunctionWorker | undefined;

  constructor(settings: FunctionSettings, log: (line: FunctionLogLine) => void) {
    this.#settings = settings;
    this.#log = log;
  }

  /** @param done is called when the function has ended */
  async invoke(event: unknown, done = () => {}): Promise<unknown> {
    const payload = serialise(event);
    const worker = await this.worker();
    const result = await new Promise<string>((succeed, reject) => {
      const fail = (error: ErrorDescription) => reject(new FunctionError(error));
      this.#start(worker, { payload, invocation: { succeed, fail, chunk: () => {} }, stream: false, done });
    });
    if (Buffer.byteLength(result) > MAX_PAYLOAD_BYTES) throw responseTooLarge();
    return JSON.parse(result);
  }

  async invokeStreaming(event: unknown, done = () => {}): ReturnType<HostedFunction['invokeStreaming']> {
    const payload = serialise(event);
    const worker = await this.worker();
    const body = new Readable({
      read: () => worker.acknowledge(),
      destroy: (error, callback) => {
        // The function cannot see that the reader has left, as on AWS: what it still writes is discarded.
        worker.acknowledge();
        callback(error);
      },
    });
    body.on('error', () => {});
    const invocation: Invocation = {
      succeed: () => void body.push(null),
      fail: (error) => void body.destroy(new FunctionError(error)),
      chunk: (bytes) => void (body.destroyed ? worker.acknowledge() : body.push(bytes)),
    };
    this.#start(worker, { payload, invocation, stream: true, done });
    return splitPrelude(body.iterator());
  }

  /** Returns the running worker with its bundle loaded; a new one when the last has exited. */
  async worker(): Promise<FunctionWorker> {
    if (!this.#worker?.alive) this.#worker = startWorker(this.#settings, this.#log);
    const worker = this.#worker;
    await worker.ready;
    return worker;
  }

  async stop(): Promise<void> {
    await this.#worker?.stop();
  }

  #start(worker: FunctionWorker, { payload, invocation, stream, done }: HostedCall): void {
    const id = randomUUID();
    let hasEnded = false;
    const end = () => {
      clearTimeout(timer);
      hasEnded = true;
      done();
    };
    const timer = setTimeout(() => {
      invocation.fail(this.#timedOut(id));
      this.#worker = undefined;
      void worker.stop();
      end();
    }, this.#settings.timeoutMs);
    worker.invoke(
      { kind: 'invoke', event: payload, stream },
      {
        chunk: invocation.chunk,
        succeed: (result) => {
          if (hasEnded) return;
          end();
          invocation.succeed(result);
        },
        fail: (error) => {
          if (hasEnded) return;
          end();
          // As on Lambda, the client only sees the status 502.
          this.#log({ functionName: this.#settings.name, stream: 'stderr', text: JSON.stringify(error) });
          invocation.fail(error);
        },
      },
    );
  }

  #timedOut(id: string): ErrorDescription {
    const seconds = (this.#settings.timeoutMs / 1000).toFixed(2);
    const errorMessage = `${new Date().toISOString()} ${id} Task timed out after ${seconds} seconds`;
    this.#log({ functionName: this.#settings.name, stream: 'stderr', text: errorMessage });
    return { errorType: 'Sandbox.Timedout', errorMessage, trace: [] };
  }
}

/** An invocation that is to begin. */
interface HostedCall {
  readonly payload: string;
  readonly invocation: Invocation;
  readonly stream: boolean;
  readonly done: () => void;
}

function serialise(event: unknown): string {
  const payload = JSON.stringify(event ?? null);
  const bytes = Buffer.byteLength(payload);
  if (bytes <= MAX_PAYLOAD_BYTES) return payload;
  throw new PayloadTooLarge(`an event of ${bytes} bytes exceeds the ${MAX_PAYLOAD_BYTES} bytes that Lambda accepts`);
}

function responseTooLarge(): FunctionError {
  return new FunctionError({
    errorType: 'Function.ResponseSizeTooLarge',
    errorMessage: `the result exceeds the ${MAX_PAYLOAD_BYTES} bytes that Lambda returns`,
    trace: [],
  });
}
