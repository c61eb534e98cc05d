/** The parts of a program that have to end, in the order of their start, each with its name for the log. */
export type Closers = (readonly [part: string, close: () => Promise<unknown>])[];

/**
 * Ends the parts, the last one first. One that fails, or that has not ended in time, is named to `warn` and prevents no
 * other from ending.
 */
export async function closeAll(
  closers: Readonly<Closers>,
  { limitMs, warn }: { readonly limitMs: number; readonly warn: (sentence: string) => void },
): Promise<void> {
  for (const [part, close] of closers.toReversed()) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, limitMs, `has not ended within ${limitMs / 1000} s`);
    });
    const ended = close().then(
      () => undefined,
      (error: unknown) => `could not be ended: ${error instanceof Error ? error.message : String(error)}`,
    );
    const problem = await Promise.race([ended, late]);
    clearTimeout(timer);
    if (problem !== undefined) warn(`At the end: ${part} ${problem}.`);
  }
}
