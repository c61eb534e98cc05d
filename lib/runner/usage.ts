import { dirname, join } from 'node:path';
import type { Used } from '../../functions/core/ports/applications.ts';
import type { UsedMinute } from '../../functions/core/ports/processes.ts';
import type { StartedGroup } from '../process/members.ts';
import { memoryOfGroups } from './limits/memory-watch.ts';
import { Week } from './week.ts';

const MINUTE_MS = 60_000;
const KEPT_MINUTES = 60;

interface Counted {
  readonly minute: number;
  readonly requests: Record<string, number>;
  memory: number | null;
}

/** Counts the requests of an application and keeps its memory, by minutes, for an hour, of which nothing is stored; by hours, a week. */
export class Usage {
  #counted: Counted[] = [];

  constructor(
    readonly week: Week,
    private readonly now: () => number = Date.now,
  ) {}

  /** Counts a request by the class of the status that it was answered with; see `Week.count`. */
  count(status: number, milliseconds?: number): void {
    this.week.count(status, milliseconds);
    const { requests } = this.#current();
    const named = `${Math.floor(status / 100)}xx`;
    requests[named] = (requests[named] ?? 0) + 1;
  }

  /** Keeps how many bytes its processes have: of a minute, the most. */
  hasMemory(bytes: number): void {
    this.week.hasMemory(bytes);
    const current = this.#current();
    current.memory = Math.max(current.memory ?? 0, bytes);
  }

  /** Returns the minutes of the last hour in which there was something, oldest first. */
  shown(): readonly UsedMinute[] {
    return this.#ofLastHour().map(({ minute, requests, memory }) => {
      return { at: new Date(minute * MINUTE_MS).toISOString(), requests: { ...requests }, memory };
    });
  }

  total(): Used {
    const minutes = this.#ofLastHour();
    const counts = minutes.flatMap(({ requests }) => Object.values(requests));
    const { memory = null } = minutes.findLast((one) => one.memory !== null) ?? {};
    return { requests: counts.reduce((sum, one) => sum + one, 0), memory };
  }

  #ofLastHour(): Counted[] {
    const oldest = this.#minute() - KEPT_MINUTES;
    return this.#counted.filter(({ minute }) => minute > oldest);
  }

  #current(): Counted {
    const minute = this.#minute();
    const last = this.#counted.at(-1);
    if (last?.minute === minute) return last;
    const begun = { minute, requests: {}, memory: null };
    this.#counted = [...this.#ofLastHour(), begun];
    return begun;
  }

  #minute(): number {
    return Math.floor(this.now() / MINUTE_MS);
  }
}

/** Counts for an application, whose week is in a file beside that of its output. */
export function usageOf(log: string, onFailure: (error: Error) => void): Usage {
  return new Usage(new Week({ path: join(dirname(log), 'usage.jsonl'), onFailure }));
}

interface Measured {
  readonly usage: Usage;
  /** Returns the groups of the processes that run. */
  groups(): readonly StartedGroup[];
}

/**
 * Measures the memory of applications, of all at once: the processes of the whole machine are read for it. Then writes the
 * hours that have ended, one application after the other.
 */
export async function measure(all: readonly Measured[]): Promise<void> {
  const running = all.map((one) => ({ usage: one.usage, groups: one.groups() }));
  const memory = await memoryOfGroups(running.flatMap(({ groups }) => groups));
  for (const { usage, groups } of running) {
    const bytes = groups.flatMap(({ pgid }) => memory.get(pgid) ?? []);
    if (bytes.length > 0) usage.hasMemory(bytes.reduce((sum, one) => sum + one));
  }
  for (const { usage } of all) await usage.week.write();
}
