import { FunctionError } from './function-error.ts';
import type { ErrorDescription } from './messages.ts';

/** A running invocation. It settles once; later messages are ignored. */
export interface Invocation {
  succeed(result: string): void;
  fail(error: ErrorDescription): void;
  chunk(bytes: Uint8Array): void;
}

/** Bytes acknowledged together: far fewer than the window, so that the function never waits for the remainder. */
const ACK_BYTES = 32 * 1024;

/** Collects the result of a buffered invocation. */
export function bufferedInvocation(): Invocation & { readonly result: Promise<string> } {
  const { promise, resolve, reject } = withResolvers<string>();
  return {
    result: promise,
    succeed: resolve,
    fail: (error) => reject(new FunctionError(error)),
    chunk: () => {},
  };
}

/** Collects a streamed response. Calls `acknowledge` with the number of bytes read since the last call. */
export function streamedInvocation(
  acknowledge: (bytes: number) => void,
): Invocation & { readonly bytes: AsyncIterableIterator<Uint8Array> } {
  const chunks: Uint8Array[] = [];
  let outcome: { readonly error?: FunctionError } | undefined;
  let abandoned = false;
  let wake: () => void = () => {};
  let taken = 0;
  const take = (chunk: Uint8Array): void => {
    taken += chunk.byteLength;
    if (taken < ACK_BYTES) return;
    acknowledge(taken);
    taken = 0;
  };
  const settle = (how: { readonly error?: FunctionError }): void => {
    outcome ??= how;
    wake();
  };
  async function* read(): AsyncGenerator<Uint8Array, undefined> {
    try {
      while (true) {
        const chunk = chunks.shift();
        if (chunk) {
          take(chunk);
          yield chunk;
        } else if (outcome?.error) throw outcome.error;
        else if (outcome) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      // The function cannot see that the reader has left, as on AWS: what it still writes is discarded.
      abandoned = true;
      for (const chunk of chunks.splice(0)) take(chunk);
    }
  }
  return {
    bytes: read(),
    succeed: () => settle({}),
    fail: (error) => settle({ error: new FunctionError(error) }),
    chunk: (bytes) => {
      if (abandoned) return take(bytes);
      chunks.push(bytes);
      wake();
    },
  };
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: Error) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
