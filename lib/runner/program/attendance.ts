import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { watchParents } from '../../process/parent-watch.ts';
import { ServiceGroups } from './service-groups.ts';

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
    lines.on('line', (line) => groups.told(line));
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
