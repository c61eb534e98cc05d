import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { openCrowd } from './crowd.ts';
import { type MeasuredFeed, now } from './feed.ts';
import type { Seen } from './watchers.ts';

/** Rows of a measurement. */
export const ROWS = 100;
/** Rows before the measurement, so that loading and compiling are not measured. */
const WARM_UP = 200;
const PAUSE_MS = 40;
const SETTLE_MS = 2_000;

/** The results of a measurement; times are in milliseconds. */
export interface Measured {
  /** From the start of each write to its row's arrival at each watcher. */
  readonly fromWrite: readonly number[];
  /** From the response of each write to its row's arrival; negative when the row arrived first. */
  readonly fromCommit: readonly number[];
  /** From the response of each write to its row's arrival at the last watcher. */
  readonly toLast: readonly number[];
  /** The duration of the writes. */
  readonly writes: readonly number[];
  readonly lost: number;
  readonly doubled: number;
  /** Memory of the feed's process per watcher, in MB. */
  readonly memory: number;
  /** Database reads per row that arrived at a watcher; NaN if they are not counted. */
  readonly reads: number;
}

interface Write {
  readonly seq: number;
  readonly at: number;
  readonly answered: number;
}

/** Writes rows one after the other, with pauses, while the given number of watchers follow. */
export async function measure(feed: MeasuredFeed, crowd: number): Promise<Measured> {
  const { request, write } = await feed.fresh();
  const before = residentMb(feed.pid);
  const watchers = await openCrowd(feed.port, request, crowd);
  try {
    for (let row = 0; row < WARM_UP; row += 1) await write();
    await setTimeout(SETTLE_MS);
    const memory = (residentMb(feed.pid) - before) / crowd;
    const writes: Write[] = [];
    const readsBefore = feed.reads?.() ?? Number.NaN;
    for (let row = 0; row < ROWS; row += 1) writes.push(await timed(write));
    await setTimeout(SETTLE_MS);
    const reads = ((feed.reads?.() ?? Number.NaN) - readsBefore) / (ROWS * crowd);
    return { ...evaluated(writes, await watchers.seen()), memory, reads };
  } finally {
    await watchers.close();
  }
}

async function timed(write: () => Promise<number>): Promise<Write> {
  const at = now();
  const seq = await write();
  const answered = now();
  await setTimeout(PAUSE_MS);
  return { seq, at, answered };
}

function evaluated(writes: readonly Write[], seen: Seen): Omit<Measured, 'memory' | 'reads'> {
  const bySeq = new Map(writes.map((write) => [write.seq, write]));
  const last = new Map<number, number>();
  const fromWrite: number[] = [];
  const fromCommit: number[] = [];
  let doubled = 0;
  for (const { seqs, times } of seen) {
    doubled += seqs.length - new Set(seqs).size;
    for (const [place, seq] of seqs.entries()) {
      const write = bySeq.get(seq);
      const at = times[place];
      if (!write || at === undefined) continue;
      fromWrite.push(at - write.at);
      fromCommit.push(at - write.answered);
      last.set(seq, Math.max(last.get(seq) ?? Number.NEGATIVE_INFINITY, at - write.answered));
    }
  }
  return {
    fromWrite,
    fromCommit,
    toLast: [...last.values()],
    writes: writes.map(({ at, answered }) => answered - at),
    lost: writes.length * seen.length - (fromWrite.length - doubled),
    doubled,
  };
}

/** Returns the resident memory of a process; NaN except on Linux. */
function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
