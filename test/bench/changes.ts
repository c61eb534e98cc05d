import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../local/place.ts';
import { countedFeed } from './changes/counted.ts';
import { fanOut } from './changes/fan-out.ts';
import type { MeasuredFeed } from './changes/feed.ts';
import { type Measured, measure } from './changes/measure.ts';
import { ownFeed } from './changes/own.ts';
import { pouchDb } from './changes/pouchdb.ts';
import type { BenchRow } from './row.ts';
import { milliseconds, quantile, ratioOf } from './statistics.ts';

const CROWDS = [1, 50, 500] as const;
/** From that many watchers on this service is to be ahead of PouchDB Server. */
const AHEAD_FROM = 50;
const MOST_TIMES_FLOOR = 10;

type ByCrowd = ReadonlyMap<number, Measured>;

/**
 * How long a row takes to its watchers, from the beginning of the call that writes it to each watcher's socket, with its
 * document: here, in PouchDB Server's continuous feed, and in a bare fan-out as the floor. The watchers are the same for all,
 * in a process of their own, and so are the rows and their pace. Only this service and PouchDB Server keep the row, and only
 * this service waits for the disk.
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

function rows(crowd: number, feeds: Feeds): BenchRow[] {
  const own = at(feeds.own, crowd);
  const latencies = [0.5, 0.99].flatMap((share) => {
    const against = (baseline: ByCrowd) => [crowd, share, own.fromWrite, at(baseline, crowd).fromWrite] as const;
    return [
      latency('a bare fan-out', `≤ ${MOST_TIMES_FLOOR} × it`, MOST_TIMES_FLOOR, against(feeds.floor)),
      ...(feeds.peer ? [latency('PouchDB Server', 'ahead of it', 1, against(feeds.peer))] : []),
    ];
  });
  const { lost, doubled, memory } = own;
  return [
    ...latencies.map((row) => (crowd < AHEAD_FROM ? { ...row, target: 'for information', reached: true } : row)),
    plain(`rows that ${crowd} watchers lost / saw twice`, `${lost} / ${doubled}`, '0 / 0', lost + doubled === 0),
    ...(crowd === 1
      ? []
      : [plain(`memory for each of ${crowd} watchers`, `${memory.toFixed(2)} MB`, '≤ 1 MB', memory <= 1)]),
    plain(
      `reads of DynamoDB for a row at one of ${crowd} watchers`,
      at(feeds.counted, crowd).reads.toFixed(3),
      'for information',
      true,
    ),
  ];
}

function latency(
  other: string,
  target: string,
  most: number,
  [crowd, share, own, base]: readonly [number, number, readonly number[], readonly number[]],
): BenchRow {
  const value = quantile(own, share);
  const baseline = quantile(base, share);
  return {
    figure: `write to its row at ${crowd} beside ${other}, p${share * 100}`,
    value: milliseconds(value),
    baseline: milliseconds(baseline),
    ratio: ratioOf(value, baseline),
    target,
    reached: value <= most * baseline,
  };
}

function plain(figure: string, value: string, target: string, reached: boolean): BenchRow {
  return { figure, value, baseline: '–', target, reached };
}

function at(found: ByCrowd, crowd: number): Measured {
  const one = found.get(crowd);
  if (!one) throw new Error(`Nothing was measured with ${crowd} watchers.`);
  return one;
}
