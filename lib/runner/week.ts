import { appendFile, readFile, stat } from 'node:fs/promises';
import * as v from 'valibot';
import { keyedMutex } from '../../functions/core/concurrency.ts';
import { jsonIn } from '../../functions/core/json-value.ts';
import type { UsedHour } from '../../functions/core/ports/processes.ts';
import { replaceFile } from '../files/atomic-file.ts';
import { MISSING, unless } from '../files/errors.ts';
import { messageOf } from '../http/http-error.ts';

const HOUR_MS = 3_600_000;
const KEPT_HOURS = 168;
/** A file that has more is written again, with one line for each hour; that many lines have less. */
const FULL_BYTES = 90_000;
/** The times of answers are counted in ranges, each of which ends 1.6 times as high as the one before, from 1 ms to 49 s. */
const RANGES = 24;
const FACTOR = 1.6;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Hour = v.object({
  hour: count,
  requests: count,
  errors: count,
  memory: v.nullable(count),
  times: v.pipe(v.array(count), v.length(RANGES)),
});
type Hour = v.InferOutput<typeof Hour>;

interface WeekParts {
  readonly path: string;
  /** Called when hours are lost, for each sentence once. */
  readonly onFailure: (error: Error) => void;
  readonly now?: () => number;
}

/**
 * Counts what an application was used for by hours, and keeps a week of them in a file: a line for an hour and a runner that
 * has counted in it.
 */
export class Week {
  /** The hours that are not in the file yet; the last one may go on. */
  #counted: Hour[] = [];
  readonly #withLock = keyedMutex();
  readonly #warned = new Set<string>();
  readonly #now: () => number;

  constructor(private readonly parts: WeekParts) {
    this.#now = parts.now ?? Date.now;
  }

  /** Counts a request, with the milliseconds until the end of its answer where it had one. */
  count(status: number, milliseconds?: number): void {
    const hour = this.#current();
    hour.requests += 1;
    if (status >= 500) hour.errors += 1;
    if (milliseconds === undefined) return;
    const range = rangeOf(milliseconds);
    hour.times[range] = (hour.times[range] ?? 0) + 1;
  }

  hasMemory(bytes: number): void {
    const hour = this.#current();
    hour.memory = Math.max(hour.memory ?? 0, bytes);
  }

  /** Writes the hours that have ended; at the end also that which goes on. Never throws: what cannot be written is lost. */
  write(isEnd = false): Promise<void> {
    return this.#withLock('', async () => {
      const ended = this.#counted.filter(({ hour }) => isEnd || hour !== this.#hour());
      if (ended.length === 0) return;
      this.#counted = this.#counted.filter((one) => !ended.includes(one));
      await this.#append(ended).catch(this.#lost);
    });
  }

  /** Returns the hours of the last week in which there was something, oldest first. */
  shown(): Promise<readonly UsedHour[]> {
    return this.#withLock('', async () => this.#merged([...(await this.#stored()), ...this.#counted]).map(shownHour));
  }

  async #append(hours: readonly Hour[]): Promise<void> {
    const { path } = this.parts;
    // The break comes first: it ends a line that was cut by a full disk. Without a folder the application is gone.
    const isThere = await unless(
      MISSING,
      appendFile(path, hours.map(written).join(''), { mode: 0o600 }).then(() => true),
    );
    if (!isThere || (await stat(path)).size <= FULL_BYTES) return;
    await replaceFile(
      path,
      this.#merged(await this.#stored())
        .map(written)
        .join(''),
      { secret: true },
    );
  }

  async #stored(): Promise<readonly Hour[]> {
    const text = await unless(MISSING, readFile(this.parts.path, 'utf8')).catch(this.#lost);
    const lines = (text ?? '').split('\n').filter((line) => line !== '');
    const read = lines.map((line) => v.safeParse(Hour, jsonIn(line)));
    const hours = read.flatMap((one) => (one.success ? [one.output] : []));
    if (hours.length < read.length) this.#warn('Lines of its week of usage are damaged, and left out.');
    return hours;
  }

  #merged(hours: readonly Hour[]): readonly Hour[] {
    const now = this.#hour();
    const byHour = new Map<number, Hour>();
    for (const one of hours) {
      const before = byHour.get(one.hour);
      if (one.hour > now - KEPT_HOURS && one.hour <= now) byHour.set(one.hour, before ? sum(before, one) : one);
    }
    return [...byHour.values()].sort((a, b) => a.hour - b.hour);
  }

  readonly #lost = (error: unknown): undefined => this.#warn(`Hours of its usage are lost: ${messageOf(error)}`);

  #warn(sentence: string): undefined {
    if (!this.#warned.has(sentence)) this.parts.onFailure(new Error(sentence));
    this.#warned.add(sentence);
  }

  #current(): Hour {
    const hour = this.#hour();
    const last = this.#counted.at(-1);
    if (last?.hour === hour) return last;
    const begun = { hour, requests: 0, errors: 0, memory: null, times: new Array<number>(RANGES).fill(0) };
    this.#counted.push(begun);
    return begun;
  }

  #hour(): number {
    return Math.floor(this.#now() / HOUR_MS);
  }
}

function rangeOf(milliseconds: number): number {
  const range = Math.ceil(Math.log(milliseconds) / Math.log(FACTOR));
  return Math.min(Math.max(range, 0), RANGES - 1);
}

function written(hour: Hour): string {
  return `\n${JSON.stringify(hour)}`;
}

function sum(one: Hour, other: Hour): Hour {
  return {
    hour: one.hour,
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    memory: one.memory === null ? other.memory : Math.max(one.memory, other.memory ?? 0),
    times: one.times.map((number, range) => number + (other.times[range] ?? 0)),
  };
}

function shownHour({ hour, times, ...more }: Hour): UsedHour {
  return { at: new Date(hour * HOUR_MS).toISOString(), ...more, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** Returns the time in which such a part of the requests was answered, as if those of a range were spread over it evenly. */
function quantile(times: readonly number[], part: number): number | null {
  const wanted = times.reduce((all, one) => all + one, 0) * part;
  let before = 0;
  for (const [range, number] of times.entries()) {
    if (number > 0 && before + number >= wanted) {
      const [from, to] = [range === 0 ? 0 : FACTOR ** (range - 1), FACTOR ** range];
      return Math.ceil(from + ((to - from) * (wanted - before)) / number);
    }
    before += number;
  }
  return null;
}
