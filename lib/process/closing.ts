import { within } from '../../functions/adapters/system/within.ts';

/** The parts of a program that have to end, in the order of their start, each with its name for the log. */
export type Closers = (readonly [part: string, close: () => Promise<unknown>])[];

/**
 * Ends the parts, the last one first. A part that fails, or has not ended in time, is named to `warn` and prevents no
 * other from ending.
 */
export async function closeAll(
  closers: Readonly<Closers>,
  { limitMs, warn }: { readonly limitMs: number; readonly warn: (sentence: string) => void },
): Promise<void> {
  const late = () => new Error(`has not ended within ${limitMs / 1000} s`);
  const failed = (error: unknown) => {
    throw new Error(`could not be ended: ${error instanceof Error ? error.message : String(error)}`);
  };
  for (const [part, close] of closers.toReversed()) {
    const ended = close().catch(failed);
    await within(limitMs, () => ended, late).catch((error: Error) => warn(`At the end: ${part} ${error.message}.`));
  }
}
