import { type Aim, closedLoop, isTaken, refusals, type Shot } from '../load.ts';
import { type Addressed, pushes } from '../pushes.ts';
import type { BenchRow } from '../row.ts';
import { milliseconds, quantile, ratioOf } from '../statistics.ts';

/** Whose repositories the pushes are of. */
export const USERS = 20;
/** Below the ten invocations of a new account, and above. */
const IN_FLIGHT = [1, 4, 16];
const ROUNDS = 3;
const SHOTS = 40;

type Shots = Readonly<Record<'usual' | 'strict', readonly Shot[]>>;

/**
 * Measures how long pushes wait for their answer, and how many are refused. The pipeline works on what was accepted
 * meanwhile, within the same ten invocations.
 */
export async function acknowledged(both: Readonly<Record<'usual' | 'strict', Addressed>>): Promise<BenchRow[]> {
  const usual = pushes(both.usual, USERS);
  const strict = pushes(both.strict, USERS);
  // Logins are remembered from here on.
  for (const aim of [usual, strict]) await closedLoop(aim, 1, USERS);
  const rows: BenchRow[] = [];
  for (const inFlight of IN_FLIGHT) rows.push(...rowsOf(inFlight, await inTurn({ usual, strict }, inFlight)));
  return rows;
}

async function inTurn({ usual, strict }: Record<'usual' | 'strict', Aim>, inFlight: number): Promise<Shots> {
  const found = { usual: [] as Shot[], strict: [] as Shot[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    found.usual.push(...(await closedLoop(usual, inFlight, SHOTS)));
    found.strict.push(...(await closedLoop(strict, inFlight, SHOTS)));
  }
  return found;
}

function rowsOf(inFlight: number, { usual, strict }: Shots): BenchRow[] {
  const taken = (shots: readonly Shot[], share: number) =>
    quantile(
      shots.filter(isTaken).map(({ ms }) => ms),
      share,
    );
  const of = `strict, ${strict.length} pushes, ${inFlight} in flight`;
  const info = { target: 'for information', reached: true };
  return [
    { figure: `${of}: refused`, value: refusals(strict) || '0', baseline: refusals(usual) || '0', ...info },
    ...[0.5, 0.99].map((share) => {
      const [value, baseline] = [taken(strict, share), taken(usual, share)];
      return {
        figure: `${of}: p${share * 100} of those taken`,
        ...{ value: milliseconds(value), baseline: milliseconds(baseline), ratio: ratioOf(value, baseline) },
        ...info,
      };
    }),
  ];
}
