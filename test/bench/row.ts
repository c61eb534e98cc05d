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

/** Returns a row without a baseline; without a limit it is for information. */
export function plainRow(figure: string, value: string, limit?: { most: string; reached: boolean }): BenchRow {
  const { most, reached } = limit ?? { most: undefined, reached: true };
  return { figure, value, baseline: '–', target: most ? `≤ ${most}` : 'for information', reached };
}
