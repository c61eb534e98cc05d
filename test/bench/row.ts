/** One measured figure beside what it is held against. */
export interface BenchRow {
  readonly figure: string;
  readonly value: string;
  readonly baseline: string;
  readonly ratio?: number;
  readonly target: string;
  readonly reached: boolean;
}

/** A part of the benchmark: it makes what it needs, measures, and leaves nothing behind. */
export type Bench = () => Promise<readonly BenchRow[]>;
