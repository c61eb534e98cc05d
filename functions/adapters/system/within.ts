/**
 * Returns the result of work, or throws the error of `late` when it takes longer than `milliseconds`; then its signal is
 * aborted with that error.
 */
export async function within<T>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = late();
      reject(error);
      stop.abort(error);
    }, milliseconds);
  });
  try {
    return await Promise.race([work(stop.signal), ended]);
  } finally {
    clearTimeout(timer);
  }
}
