import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { endMarked } from '../../process/marks.ts';
import { watchParents } from '../../process/parent-watch.ts';
import { endGroup, groupGone, killGroup } from '../../process/process-group.ts';

interface AttendanceParts {
  /** Milliseconds without a service after which `left` is called; infinite: never. */
  readonly lingerMs: number;
  readonly left: () => void;
}

const FIRST_MS = 10_000;

/** Whether a service is there: each keeps one request open, in which it tells its process groups. */
export class Attendance {
  #present = 0;
  #hasLeft = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: AttendanceParts) {
    // The one that has started it comes when it has read of it, unless it is killed before.
    this.#wait(Math.max(parts.lingerMs, FIRST_MS));
    watchParents(() => this.#wait());
  }

  /** Resolves when the service has ended, and what it had running beside with it. */
  async attend(request: IncomingMessage, marks: string): Promise<void> {
    const groups = new ServiceGroups(marks);
    this.#present += 1;
    clearTimeout(this.#timer);
    const lines = createInterface({ input: request });
    lines.on('line', (line) => groups.note(line));
    // A kill of the service cuts the request.
    lines.on('error', () => {});
    await new Promise<void>((resolve) => {
      request.once('close', () => resolve());
      request.on('error', () => {});
    });
    await groups.end();
    this.#present -= 1;
    this.#wait();
  }

  /** Waits for no service any more: a successor has begun. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#hasLeft = true;
  }

  #wait(milliseconds = this.parts.lingerMs): void {
    if (this.#hasLeft || this.#present > 0 || !Number.isFinite(milliseconds)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.parts.left, milliseconds);
  }
}

const GRACE_MS = 700;
/** For a group that ends by itself. */
const FINISH_MS = 5_000;
/** A process may have been forked at the moment of a kill, and has no variables before it runs its program. */
const FORKED_MS = 200;

/**
 * The process groups of a service, as it tells them (`tellGroups`): `+<pgid>`, `~<pgid>` for one that ends by itself,
 * `-<pgid>` for one that has ended.
 */
class ServiceGroups {
  readonly #groups = new Map<number, string>();

  /** @param marks the beginning of the marks of all processes that the service has started */
  constructor(private readonly marks: string) {}

  note(line: string): void {
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
