import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { project } from '../../support/service/place.ts';
import { statusOf } from '../processor.ts';
import { ROUNDS } from '../rounds.ts';
import { type MeasuredFeed, now } from './feed.ts';
import type { Seen, ToWatchers } from './watchers.ts';

/** Rows of a measurement. */
const ROWS = 20 * ROUNDS;
/** Rows before the measurement, so that loading and compiling are not measured. */
const WARM_UP = 100;
const PAUSE_MS = 40;
const SETTLE_MS = 2_000;

/** The results of a measurement; times are in milliseconds. */
export interface Measured {
  /** From the start of each write to its row's arrival at each watcher. */
  readonly times: readonly number[];
  readonly lost: number;
  /** Memory of the feed's process per watcher, in MB. */
  readonly memory: number;
}

/** Writes rows one after the other, with pauses, while the given number of watchers follow. */
export async function measure(feed: MeasuredFeed, crowd: number): Promise<Measured> {
  const { request, write } = await feed.fresh();
  const before = statusOf(feed.pid, 'VmRSS');
  const watchers = await openCrowd(feed.port, request, crowd);
  try {
    for (let row = 0; row < WARM_UP; row += 1) await write();
    await setTimeout(SETTLE_MS);
    const memory = (statusOf(feed.pid, 'VmRSS') - before) / 1024 / crowd;
    const writes = new Map<string, number>();
    for (let row = 0; row < ROWS; row += 1) {
      const at = now();
      writes.set(await write(), at);
      await setTimeout(PAUSE_MS);
    }
    await setTimeout(SETTLE_MS);
    return { ...evaluated(writes, await watchers.seen()), memory };
  } finally {
    await watchers.close();
  }
}

function evaluated(writes: ReadonlyMap<string, number>, seen: Seen): Omit<Measured, 'memory'> {
  const times = seen.flatMap(({ ids, times }) =>
    ids.flatMap((id, place) => {
      const written = writes.get(id);
      return written === undefined ? [] : [(times[place] ?? Number.NaN) - written];
    }),
  );
  return { times, lost: writes.size * seen.length - times.length };
}

/** Watchers in a separate process. */
interface Crowd {
  /** Returns what each watcher has received so far. */
  seen(): Promise<Seen>;
  close(): Promise<void>;
}

/** Starts watchers of a feed; resolves when the feed has responded to each of them. */
async function openCrowd(port: number, request: string, crowd: number): Promise<Crowd> {
  const child = fork(join(project, 'test/bench/changes/watchers.ts'), [], { execArgv: ['--import', 'tsx'] });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The watchers ended with ${code}.`);
  });
  ended.catch(() => {});
  const ask = async (message: ToWatchers): Promise<unknown> => {
    const answered = once(child, 'message');
    child.send(message);
    const [answer] = await Promise.race([answered, ended]);
    return answer;
  };
  await ask({ open: { port, request, crowd } });
  return {
    seen: async () => (await ask('collect')) as Seen,
    close: async () => {
      child.disconnect();
      await ended.catch(() => {});
    },
  };
}
