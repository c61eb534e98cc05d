/** The value below which that share of the measured ones lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** The middle of the measured values: one slow run on a shared machine does not move it. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Milliseconds as people read them. */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`;
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ms`;
}

/** A ratio with two digits. */
export function ratioOf(value: number, baseline: number): number {
  return Math.round((value / baseline) * 100) / 100;
}
