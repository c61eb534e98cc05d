import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../support/service/place.ts';
import { startChild } from './child.ts';
import { closedLoop, openLoop, type Shot } from './load.ts';
import { ownCodeRows } from './own-code.ts';
import { type Addressed, pushes } from './pushes.ts';
import type { BenchRow } from './row.ts';
import { milliseconds, quantile, ratioOf } from './statistics.ts';

const SHOTS = 600;
const PER_SECOND = 200;
const SECONDS = 10;
const USERS = 20;

/** Measures how long a push of 12 kB waits for its response, compared to a bare server that only stores it. */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = join(testFolder, 'bench-acknowledgement');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bare = await startChild<{ url: string }>('bare-server.ts', [folder]);
  const service = await startChild<Addressed>('service.ts', [join(folder, 'data'), String(USERS)]);
  try {
    const own = pushes(service.ready, USERS);
    const base = pushes({ ...service.ready, url: bare.ready.url }, USERS);
    // Warm up: logins are remembered and functions are loaded, as they are under regular load.
    await closedLoop(own, 8, USERS * 4);
    const rows: BenchRow[] = [...(await ownCodeRows())];
    for (const inFlight of [1, 16, 64]) {
      const baseline = await closedLoop(base, inFlight, SHOTS);
      rows.push(...closedRows(inFlight, await closedLoop(own, inFlight, SHOTS), baseline));
    }
    rows.push(openRow(await openLoop(own, PER_SECOND, SECONDS)));
    return rows;
  } finally {
    await service.close();
    await bare.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function closedRows(inFlight: number, own: readonly Shot[], base: readonly Shot[]): BenchRow[] {
  return [0.5, 0.99].map((share) => {
    const value = quantile(times(own), share);
    const baseline = quantile(times(base), share);
    const accepted = own.every(({ status }) => status === 202);
    return {
      figure: `acknowledgement, ${inFlight} in flight, p${share * 100}`,
      value: milliseconds(value),
      baseline: milliseconds(baseline),
      ratio: ratioOf(value, baseline),
      target: 'all accepted',
      reached: accepted,
    };
  });
}

function openRow(shots: readonly Shot[]): BenchRow {
  const p99 = quantile(times(shots), 0.99);
  const refused = shots.filter(({ status }) => status !== 202).length;
  return {
    figure: `acknowledgement, ${PER_SECOND}/s open loop, p50 ${milliseconds(quantile(times(shots), 0.5))}, p99`,
    value: milliseconds(p99),
    baseline: `${refused} refused`,
    target: 'p99 ≤ 50 ms, none refused',
    reached: p99 <= 50 && refused === 0,
  };
}

function times(shots: readonly Shot[]): number[] {
  return shots.map(({ ms }) => ms);
}
