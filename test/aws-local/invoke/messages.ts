/** Messages to a function's worker thread. Events are JSON, as Lambda sends them. */
export type ToWorker =
  | {
      readonly kind: 'invoke';
      readonly id: string;
      readonly event: string;
      readonly context: InvocationContext;
      readonly stream: boolean;
    }
  /** The client has read this many streamed bytes; the function may continue to write. */
  | { readonly kind: 'ack'; readonly id: string; readonly bytes: number };

/** Messages from a worker thread. `ready` is sent once, when the bundle is loaded. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'chunks'; readonly chunks: readonly { readonly id: string; readonly chunk: Uint8Array }[] }
  | { readonly kind: 'result'; readonly id: string; readonly result: string }
  | { readonly kind: 'failed'; readonly id: string; readonly error: ErrorDescription };

export interface ErrorDescription {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

/**
 * The data of the handler's second argument; the worker adds `getRemainingTimeInMillis`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html
 */
export interface InvocationContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  /** Epoch milliseconds at which the invocation times out. */
  readonly deadline: number;
}
