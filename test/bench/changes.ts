import { rmSync } from 'node:fs';
import * as v from 'valibot';
import { bodyOf } from '../support/body-of.ts';
import { getRequest, type MeasuredFeed } from './changes/feed.ts';
import { type Measured, measure } from './changes/measure.ts';
import { pouchDb } from './changes/pouchdb.ts';
import { pushes } from './pushes.ts';
import type { BenchRow } from './row.ts';
import { basic, emptyFolder, startService } from './service.ts';
import { milliseconds, quantile, ratioOf } from './statistics.ts';

const CROWDS = [1, 50, 500];

type ByCrowd = ReadonlyMap<number, Measured>;

/**
 * Measures how long a row with its document takes from the start of the POST of a hook to each watcher, beside PouchDB
 * Server's continuous feed, where it is a PUT of such a row. Watchers, rows and their rate are the same for both; the
 * watchers run in a process of their own.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = emptyFolder('changes');
  try {
    const own = await measured(await ownFeed());
    const pouch = await pouchDb(folder);
    const peer = pouch && (await measured(pouch));
    return CROWDS.flatMap((crowd) => rows(crowd, own, peer));
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

function rows(crowd: number, own: ByCrowd, peer: ByCrowd | null): BenchRow[] {
  const { times, lost, memory } = own.get(crowd) as Measured;
  const base = peer?.get(crowd)?.times;
  const latencies = [0.5, 0.99].map((share): BenchRow => {
    const value = quantile(times, share);
    const baseline = base && quantile(base, share);
    return {
      figure: `POST of a hook to its row at ${crowd} watchers, p${share * 100}`,
      value: milliseconds(value),
      baseline: baseline === undefined ? 'PouchDB is missing' : `PouchDB: ${milliseconds(baseline)}`,
      ...(baseline !== undefined && { ratio: ratioOf(value, baseline) }),
      target: share === 0.5 ? 'ahead of it' : 'for information',
      reached: share !== 0.5 || (baseline !== undefined && value < baseline),
    };
  });
  return [
    ...latencies,
    { figure: `… lost rows`, value: String(lost), baseline: '0', target: '0', reached: lost === 0 },
    {
      figure: `… memory for each`,
      value: `${memory.toFixed(2)} MB`,
      baseline: '–',
      target: '≤ 1 MB',
      reached: crowd === 1 || memory <= 1,
    },
  ];
}

const USER = 'user-1';

/** Starts the service. A row is written by a push of 12 kB to the webhook, whose stages write further ones. */
async function ownFeed(): Promise<MeasuredFeed> {
  const service = await startService('changes-service', 1);
  const aim = pushes(service, 1);
  return {
    port: Number(new URL(service.url).port),
    pid: service.pid,
    fresh: async () => ({
      request: getRequest(
        `${service.url}/1/status/${USER}/changes?since=now&include_docs=true`,
        basic(USER, service.password),
      ),
      write: async () => {
        const { url, ...message } = aim(0);
        const answer = await fetch(url, { method: 'POST', ...message });
        return (await bodyOf(answer, { id: v.string() })).id;
      },
    }),
    close: service.close,
  };
}
