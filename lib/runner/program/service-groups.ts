import { setTimeout as pause } from 'node:timers/promises';
import { endMarked } from '../../process/marks.ts';
import { endGroup, groupGone, killGroup } from '../../process/process-group.ts';

const GRACE_MS = 700;
/** For a group that ends by itself. */
const FINISH_MS = 5_000;
/** A process may have been forked at the moment of a kill, and has no variables before it runs its program. */
const FORKED_MS = 200;

/**
 * The process groups of a service, as it tells them (`tellGroups`): `+<pgid>`, `~<pgid>` for one that ends by itself,
 * `-<pgid>` for one that has ended.
 */
export class ServiceGroups {
  readonly #groups = new Map<number, string>();

  /** @param marks the beginning of the marks of all processes that the service has started */
  constructor(private readonly marks: string) {}

  told(line: string): void {
    const [sign, pgid] = [line.slice(0, 1), Number(line.slice(1))];
    if (!Number.isInteger(pgid) || pgid <= 1) return;
    if (sign === '-') this.#groups.delete(pgid);
    else this.#groups.set(pgid, sign);
  }

  /** Ends all of them, because the service has ended. */
  async end(): Promise<void> {
    const ending = [...this.#groups].map(async ([pgid, sign]) => {
      if (sign === '+') return endGroup(pgid, GRACE_MS);
      if (!(await groupGone(pgid, FINISH_MS))) killGroup(pgid);
    });
    await pause(FORKED_MS);
    await Promise.all([...ending, endMarked(this.marks, GRACE_MS)]);
  }
}
