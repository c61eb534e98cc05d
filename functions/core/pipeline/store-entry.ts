import type { Entry } from '../entry/entry.ts';
import { DeployError } from '../errors.ts';

/** Thrown by a write of the log that is committed, but that the disk has not confirmed: a power cut may undo it. */
export class UnconfirmedWrite extends Error {
  override readonly name = 'UnconfirmedWrite';

  /** `result` is what the write returns. */
  constructor(
    readonly result: unknown,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Returns the entry that `append` writes. With a `failure`, to be thrown once its work has been queued, the disk has not
 * confirmed it: readers see it, so it goes on. Throws `deploy:db:failed_to_store_payload` when nothing was written.
 *
 * @param what `payload` or `request`, for the sentence
 */
export async function storeEntry(
  what: string,
  append: () => Promise<Entry>,
): Promise<{ readonly entry: Entry; readonly failure: DeployError | null }> {
  const failure = (detail: string, cause: unknown) =>
    new DeployError('deploy:db:failed_to_store_payload', detail, { cause });
  try {
    return { entry: await append(), failure: null };
  } catch (error) {
    if (error instanceof DeployError) throw error;
    const entry = error instanceof UnconfirmedWrite ? (error.result as { readonly entry?: Entry }).entry : undefined;
    if (!entry) throw failure(`The database did not take the ${what} in time: send it again.`, error);
    const detail = `It is not known whether the ${what} was stored: the disk did not confirm it. Send it again.`;
    return { entry, failure: failure(detail, error) };
  }
}
