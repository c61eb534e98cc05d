import { milliseconds, ratioOf } from './statistics.ts';
/** A measured figure and its baseline. */
export interface BenchRow {
  readonly figure: string;
  readonly value: string;
  readonly baseline: string;
  readonly ratio?: number;
  readonly target: string;
  readonly reached: boolean;
}

/** A part of the benchmark. It creates what it needs and removes it after the measurement. */
export type Bench = () => Promise<readonly BenchRow[]>;

/** A time beside the one that it is compared with, which may have a name; without a target it is for information. */
interface Compared {
  readonly own: number;
  readonly base: number;
  readonly name?: string;
  readonly target?: string;
  readonly reached?: boolean;
}

/** Returns a row of two times in milliseconds. */
export function timeRow(figure: string, compared: Compared): BenchRow {
  const { own, base, name, target = 'for information', reached = true } = compared;
  const baseline = `${name ? `${name}: ` : ''}${milliseconds(base)}`;
  return { figure, value: milliseconds(own), baseline, ratio: ratioOf(own, base), target, reached };
}

/** Returns a row without a baseline; without a limit it is for information. */
export function plainRow(figure: string, value: string, limit?: { most: string; reached: boolean }): BenchRow {
  const { most, reached } = limit ?? { most: undefined, reached: true };
  return { figure, value, baseline: '–', target: most ? `≤ ${most}` : 'for information', reached };
}
