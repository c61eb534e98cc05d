/** Returns a percentile of the measured values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Returns the median, which a single slow run on a shared machine does not change. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Formats milliseconds. */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`;
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ms`;
}

/** Formats a ratio with two digits. */
export function ratioOf(value: number, baseline: number): number {
  return Math.round((value / baseline) * 100) / 100;
}
