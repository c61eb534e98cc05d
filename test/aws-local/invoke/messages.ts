/** Messages to a function's worker thread, which has one invocation at a time. Events are JSON, as Lambda sends them. */
export type ToWorker =
  | { readonly kind: 'invoke'; readonly event: string; readonly stream: boolean }
  /** The last chunk was read; the function may write the next one. */
  | { readonly kind: 'ack' };

/** Messages from a worker thread. `ready` is sent once, when the bundle is loaded. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'chunk'; readonly chunk: Uint8Array }
  | { readonly kind: 'result'; readonly result: string }
  | { readonly kind: 'failed'; readonly error: ErrorDescription };

export interface ErrorDescription {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}
