import type { UsedMinute } from '../../../functions/api/shapes/processes.ts';

const MINUTE_MS = 60_000;
export const MINUTES = 60;
/** The classes of statuses, from the bottom of a bar to its top, with the tone of each. */
export const CLASSES = { '2xx': 'good', '3xx': 'busy', '4xx': 'wait', '5xx': 'bad' } as const;
type Class = keyof typeof CLASSES;
const classes = Object.keys(CLASSES) as readonly Class[];

interface Bar {
  /** From 0, the oldest minute of the hour. */
  readonly place: number;
  readonly of: Class;
  /** Parts of the height of the graph. */
  readonly from: number;
  readonly height: number;
}

export interface UsageGraphs {
  readonly bars: readonly Bar[];
  /** The most requests of a minute. */
  readonly most: number;
  /** Requests of the hour, by class. */
  readonly totals: ReadonlyArray<readonly [of: Class, count: number]>;
  /** Memory in bytes: of each minute that has some, with its place, the last one, the most. */
  readonly memory: ReadonlyArray<readonly [place: number, bytes: number]>;
  readonly lastMemory: number | null;
  readonly mostMemory: number;
}

/** Returns what graphs of the last hour show. */
export function usageGraphs(minutes: readonly UsedMinute[], now: number): UsageGraphs {
  const placed = minutes.flatMap((one) => {
    const place = MINUTES - 1 - (Math.floor(now / MINUTE_MS) - Math.floor(Date.parse(one.at) / MINUTE_MS));
    return place >= 0 && place < MINUTES ? [{ ...one, place }] : [];
  });
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
  const memory = placed.flatMap(({ place, memory: bytes }) => (bytes === null ? [] : [[place, bytes] as const]));
  return {
    bars,
    most,
    totals: classes.map((of) => [of, placed.reduce((sum, { requests }) => sum + (requests[of] ?? 0), 0)] as const),
    memory,
    lastMemory: memory.at(-1)?.[1] ?? null,
    mostMemory: Math.max(0, ...memory.map(([, bytes]) => bytes)),
  };
}
