import type { UsedHour, UsedMinute } from '../../../functions/api/shapes/processes.ts';

/** How many places a graph has, and how long each of them is. */
export const SPANS = {
  hour: { places: 60, ms: 60_000 },
  week: { places: 168, ms: 3_600_000 },
} as const;
type Span = keyof typeof SPANS;
/** The classes of statuses, from the bottom of a bar to its top, with the tone of each. */
export const CLASSES = { '2xx': 'good', '3xx': 'busy', '4xx': 'wait', '5xx': 'bad' } as const;
type Class = keyof typeof CLASSES;
const classes = Object.keys(CLASSES) as readonly Class[];

type Shown = UsedMinute & Partial<Pick<UsedHour, 'p50' | 'p99'>>;
export type Values = ReadonlyArray<readonly [place: number, value: number]>;

interface Bar {
  /** From 0, the oldest one. */
  readonly place: number;
  readonly of: Class;
  /** Parts of the height of the graph. */
  readonly from: number;
  readonly height: number;
}

export interface UsageGraphs {
  readonly bars: readonly Bar[];
  /** The most requests of a place. */
  readonly most: number;
  /** All requests, by class. */
  readonly totals: ReadonlyArray<readonly [of: Class, count: number]>;
  /** Memory in bytes: of each place that has some, with its place, the last one, the most. */
  readonly memory: Values;
  readonly lastMemory: number | null;
  readonly mostMemory: number;
  /** The times in which half, and 99 of 100 answers had ended, in milliseconds likewise. */
  readonly p50: Values;
  readonly p99: Values;
  readonly mostTime: number;
}

/** Returns what graphs of the last hour, or of another time, show. */
export function usageGraphs(used: readonly Shown[], now: number, span: Span = 'hour'): UsageGraphs {
  const { places, ms } = SPANS[span];
  const placed = used.flatMap((one) => {
    const place = places - 1 - (Math.floor(now / ms) - Math.floor(Date.parse(one.at) / ms));
    return place >= 0 && place < places ? [{ ...one, place }] : [];
  });
  const valuesOf = (name: 'memory' | 'p50' | 'p99') =>
    placed.flatMap(({ place, [name]: value }) => (typeof value === 'number' ? [[place, value] as const] : []));
  const sumOf = (requests: Readonly<Record<string, number>>) =>
    classes.reduce((sum, of) => sum + (requests[of] ?? 0), 0);
  const most = Math.max(0, ...placed.map(({ requests }) => sumOf(requests)));
  const bars = placed.flatMap(({ place, requests }) => {
    let from = 0;
    return classes.flatMap((of) => {
      const height = (requests[of] ?? 0) / most;
      from += height;
      return height > 0 ? [{ place, of, from: from - height, height }] : [];
    });
  });
  const [memory, p99] = [valuesOf('memory'), valuesOf('p99')];
  return {
    bars,
    most,
    totals: classes.map((of) => [of, placed.reduce((sum, { requests }) => sum + (requests[of] ?? 0), 0)] as const),
    memory,
    lastMemory: memory.at(-1)?.[1] ?? null,
    mostMemory: highest(memory),
    p50: valuesOf('p50'),
    p99,
    mostTime: highest(p99),
  };
}

/** Returns the hours of a week as the minutes of an hour are: of their requests only the errors are told apart. */
export function withClasses(week: readonly UsedHour[]): readonly Shown[] {
  return week.map(({ requests, errors, ...more }) => {
    return { ...more, requests: { '2xx': requests - errors, '5xx': errors } };
  });
}

function highest(values: Values): number {
  return Math.max(0, ...values.map(([, value]) => value));
}
