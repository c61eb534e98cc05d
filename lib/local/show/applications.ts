import { setTimeout } from 'node:timers/promises';
import type { Engine } from '../../engine/engine.ts';
import { OperatorError } from '../../files/errors.ts';
import { printable, printableValue } from '../../terminal/printable.ts';

export interface ShownApplication {
  readonly name: string;
  readonly state: string;
  readonly url: string | null;
}

/** A start of the service starts the applications in the background; what takes longer is shown as it is. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 150;

/**
 * Returns the applications of a user by name, as soon as none is being started. Throws an `OperatorError` with the
 * reason when they cannot be listed, as with a damaged record.
 */
export async function applicationsOf(
  { list }: Engine['applications'],
  user: string,
): Promise<readonly ShownApplication[]> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const applications = await list(user).catch((cause: unknown) => {
      const said = cause instanceof Error ? cause.message : String(cause);
      throw new OperatorError(printable(`The applications cannot be listed: ${said}`), { cause });
    });
    if (applications.every(({ state }) => state !== 'starting') || performance.now() > end) {
      const shown = applications.map(({ name, state, url }) => printableValue({ name, state, url }));
      return shown.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    }
    await setTimeout(PAUSE_MS);
  }
}
