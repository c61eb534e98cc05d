import { median } from './statistics.ts';

/** Rounds of each measurement; `ROUNDS=1` for a quick look. */
export const ROUNDS = Number(process.env.ROUNDS || 5);

/** Repeats a measurement of several figures and returns the median of each. */
export async function medians<Name extends string>(
  measure: (round: number) => Promise<Readonly<Record<Name, number>>>,
  rounds = ROUNDS,
): Promise<Record<Name, number>> {
  const found: Readonly<Record<Name, number>>[] = [];
  for (let round = 0; round < rounds; round += 1) found.push(await measure(round));
  const names = Object.keys(found[0] ?? {}) as Name[];
  return Object.fromEntries(names.map((name) => [name, median(found.map((one) => one[name]))])) as Record<Name, number>;
}
