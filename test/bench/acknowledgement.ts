import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../support/service/place.ts';
import { startChild, startStrict } from './child.ts';
import { type Aim, closedLoop, isTaken, openLoop, refusals, type Shot } from './load.ts';
import { ownCodeRows } from './own-code.ts';
import { pushPayload } from './push-payload.ts';
import type { BenchRow } from './row.ts';
import { milliseconds, quantile, ratioOf } from './statistics.ts';

const SHOTS = 600;
const PER_SECOND = 200;
const SECONDS = 10;
const USERS = 20;
/** Below the ten invocations of a new account, and above. */
const STRICT_IN_FLIGHT = [1, 4, 16];
const STRICT_ROUNDS = 3;
const STRICT_SHOTS = 60;

interface Service {
  readonly url: string;
  readonly password: string;
  readonly repositories: string;
}

/** Measures how long a push of 12 kB waits for its response, compared to a bare server that only stores it. */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = join(testFolder, 'bench-acknowledgement');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bare = await startChild<{ url: string }>('bare-server.ts', [folder]);
  const service = await startChild<Service>('service.ts', [join(folder, 'data'), String(USERS)]);
  const strict = await startStrict<Service>(join(folder, 'strict'), USERS);
  try {
    const own = pushes(service.ready);
    const base = pushes({ ...service.ready, url: bare.ready.url });
    // Warm up: logins are remembered and functions are loaded, as they are under regular load.
    await closedLoop(own, 8, USERS * 4);
    const rows: BenchRow[] = [...(await ownCodeRows())];
    for (const inFlight of [1, 16, 64]) {
      const baseline = await closedLoop(base, inFlight, SHOTS);
      rows.push(...closedRows(inFlight, await closedLoop(own, inFlight, SHOTS), baseline));
    }
    rows.push(openRow(await openLoop(own, PER_SECOND, SECONDS)));
    if (strict) rows.push(...(await besideStrict(pushes(strict.ready), own)));
    return rows;
  } finally {
    await strict?.close();
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

/**
 * Measures strict functions beside the usual ones, in turn. The pipeline works on what was accepted meanwhile, within
 * the same ten invocations.
 */
async function besideStrict(strict: Aim, usual: Aim): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const inFlight of STRICT_IN_FLIGHT) {
    const found = { strict: [] as Shot[], usual: [] as Shot[] };
    for (let round = 0; round < STRICT_ROUNDS; round += 1) {
      found.usual.push(...(await closedLoop(usual, inFlight, STRICT_SHOTS)));
      found.strict.push(...(await closedLoop(strict, inFlight, STRICT_SHOTS)));
    }
    rows.push(...strictRows(inFlight, found));
  }
  return rows;
}

function strictRows(inFlight: number, { strict, usual }: Record<'strict' | 'usual', readonly Shot[]>): BenchRow[] {
  const accepted = (shots: readonly Shot[]) => times(shots.filter(isTaken));
  const refused = refusals(strict);
  const of = `of ${strict.length}, ${inFlight} in flight`;
  return [0.5, 0.99].map((share) => {
    const [value, baseline] = [quantile(accepted(strict), share), quantile(accepted(usual), share)];
    return {
      figure: `strict, ${of}: ${refused || '0'} refused; p${share * 100} of the others`,
      ...{ value: milliseconds(value), baseline: milliseconds(baseline), ratio: ratioOf(value, baseline) },
      ...{ target: 'for information', reached: true },
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

/** Returns GitHub pushes of different commits, from several users with a repository each. */
function pushes({ url, password, repositories }: Service): Aim {
  return (number) => {
    const user = `user-${1 + (number % USERS)}`;
    return {
      url: `${url}/1/deploy?branch=main`,
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': randomUUID(),
      },
      body: pushPayload(user, repositories),
    };
  };
}
