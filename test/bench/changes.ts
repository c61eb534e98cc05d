import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../support/service/place.ts';
import { countedFeed } from './changes/counted.ts';
import { fanOut } from './changes/fan-out.ts';
import type { MeasuredFeed } from './changes/feed.ts';
import { type Measured, measure } from './changes/measure.ts';
import { ownFeed } from './changes/own.ts';
import { pouchDb } from './changes/pouchdb.ts';
import type { BenchRow } from './row.ts';
import { milliseconds, quantile, ratioOf } from './statistics.ts';

const CROWDS = [1, 50, 500] as const;
/** From this number of watchers on, the target is to be faster than PouchDB Server. */
const AHEAD_FROM = 50;
const MOST_TIMES_FLOOR = 10;

type ByCrowd = ReadonlyMap<number, Measured>;

/**
 * Measures how long a row with its document takes to reach each watcher: in this service, in PouchDB Server's
 * continuous feed, and in a bare fan-out without storage as the lower bound. `write` counts from the start of the call
 * that writes the row, `commit` from its response, which PouchDB Server, a single process, delays when it has many
 * watchers to write to. Watchers, rows and their rate are the same for all; the watchers run in a process of their own.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = join(testFolder, 'bench-changes');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const own = await measured(await ownFeed(join(folder, 'own')));
    const floor = await measured(await fanOut());
    const pouch = await pouchDb(join(folder, 'pouchdb'));
    const peer = pouch && (await measured(pouch));
    const counted = await measured(await countedFeed(join(folder, 'counted')));
    return CROWDS.flatMap((crowd) => rows(crowd, { own, floor, peer, counted }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(feed: MeasuredFeed): Promise<ByCrowd> {
  try {
    const found = new Map<number, Measured>();
    for (const crowd of CROWDS) found.set(crowd, await measure(feed, crowd));
    return found;
  } finally {
    await feed.close();
  }
}

interface Feeds {
  readonly own: ByCrowd;
  readonly floor: ByCrowd;
  /** Null when PouchDB Server could not be installed. */
  readonly peer: ByCrowd | null;
  readonly counted: ByCrowd;
}

function rows(crowd: number, { own, floor, peer, counted }: Feeds): BenchRow[] {
  const { lost, doubled, memory } = at(own, crowd);
  const pair = (other: ByCrowd, from: From) => ({ crowd, from, own: at(own, crowd), other: at(other, crowd) });
  const beside = [
    ...latencies('a bare fan-out', `≤ ${MOST_TIMES_FLOOR} × it`, MOST_TIMES_FLOOR, pair(floor, 'write')),
    ...(peer ? latencies('PouchDB Server', 'ahead of it', 1, pair(peer, 'write')) : []),
    ...(peer ? latencies('PouchDB Server', 'ahead of it', 1, pair(peer, 'commit')) : []),
  ];
  return [
    ...beside.map((row) => (crowd < AHEAD_FROM ? { ...row, target: 'for information', reached: true } : row)),
    plain(`rows that ${crowd} watchers lost / saw twice`, `${lost} / ${doubled}`, '0 / 0', lost + doubled === 0),
    ...(crowd === 1
      ? []
      : [plain(`memory for each of ${crowd} watchers`, `${memory.toFixed(2)} MB`, '≤ 1 MB', memory <= 1)]),
    plain(
      `reads of DynamoDB for a row at one of ${crowd} watchers`,
      at(counted, crowd).reads.toFixed(3),
      'for information',
      true,
    ),
  ];
}

type From = 'write' | 'commit';

function latencies(
  name: string,
  target: string,
  most: number,
  { crowd, from, own, other }: { readonly crowd: number; readonly from: From; readonly own: Measured; other: Measured },
): BenchRow[] {
  const times = ({ fromWrite, fromCommit }: Measured) => (from === 'write' ? fromWrite : fromCommit);
  return [0.5, 0.99].map((share) => {
    const value = quantile(times(own), share);
    const baseline = quantile(times(other), share);
    return {
      figure: `${from} to its row at ${crowd} beside ${name}, p${share * 100}`,
      value: milliseconds(value),
      baseline: milliseconds(baseline),
      ratio: ratioOf(value, baseline),
      target,
      reached: value <= most * baseline,
    };
  });
}

function plain(figure: string, value: string, target: string, reached: boolean): BenchRow {
  return { figure, value, baseline: '–', target, reached };
}

function at(found: ByCrowd, crowd: number): Measured {
  const one = found.get(crowd);
  if (!one) throw new Error(`There is no measurement with ${crowd} watchers.`);
  return one;
}
