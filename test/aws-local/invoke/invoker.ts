/** Invokes a function with an event. Rejects when the function throws, times out or crashes. */
export interface Invoker {
  invoke(functionName: string, event: unknown): Promise<unknown>;
}

/** Reports a problem in one sentence; the work continues. */
export type Warn = (sentence: string) => void;

/** Something that runs until it is closed; a second call of `close` does nothing. */
export interface Closable {
  /** Resolves within milliseconds. It does not wait for running invocations, and ignores their results. */
  close(): Promise<void>;
}
