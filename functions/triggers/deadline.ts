/** The time limit of some work, and the error when it is exceeded. */
export interface Deadline {
  readonly limitMs: number;
  readonly late: () => Error;
}

/**
 * Returns the result of work, or throws when it takes too long; then the signal is aborted. Lambda would end the
 * function without a word, and its messages would be hidden until the visibility timeout.
 */
export async function within<T>({ limitMs, late }: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = late();
      reject(error);
      stop.abort(error);
    }, limitMs);
  });
  try {
    return await Promise.race([work(stop.signal), ended]);
  } finally {
    clearTimeout(timer);
  }
}
