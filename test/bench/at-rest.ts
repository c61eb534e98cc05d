import { setTimeout } from 'node:timers/promises';
import { descendants } from '../support/service/processes.ts';
import { closedLoop } from './load.ts';
import { atRest, processorMs, statusOf } from './processor.ts';
import { pushes } from './pushes.ts';
import { medians } from './rounds.ts';
import { type BenchRow, plainRow } from './row.ts';
import { type Service, startService } from './service.ts';

const SAMPLE_MS = 10_000;
/** Of the service and the runner; a program of Node that does nothing has 44. */
const MOST_MB = 140;
const MOST_MS = 3;
/** Looks: thousands of deliveries are worked off in bursts, with pauses of a second between them. */
const CALM = 10;

/** Measures what the service takes without applications, when nobody asks for anything. */
export async function run(): Promise<readonly BenchRow[]> {
  const service = await startService('at-rest', 1);
  try {
    await atRest(service.pid);
    const memory = residentMb(service);
    const { ms, wakes } = await medians(() => sample(service.pid));
    await closedLoop(pushes(service, 1), 16, 2_000);
    await atRest(service.pid, CALM);
    const { ms: later } = await medians(() => sample(service.pid), 1);
    return [
      plainRow('memory at rest, without applications', `${memory} MB`, {
        most: `${MOST_MB} MB`,
        reached: memory <= MOST_MB,
      }),
      plainRow('… after 2 000 deliveries', `${residentMb(service)} MB`),
      plainRow('at rest, processor time a second', `${ms.toFixed(1)} ms`, {
        most: `${MOST_MS} ms`,
        reached: ms <= MOST_MS,
      }),
      plainRow('… the main thread wakes, times a second', wakes.toFixed(1)),
      plainRow('… after 2 000 deliveries', `${later.toFixed(1)} ms`, {
        most: `${MOST_MS} ms`,
        reached: later <= MOST_MS,
      }),
    ];
  } finally {
    await service.close();
  }
}

/** Returns the processor time and the wake-ups of a second, in which nothing is asked for. */
export async function sample(pid: number): Promise<Record<'ms' | 'wakes', number>> {
  const before = { ms: processorMs(pid), wakes: statusOf(pid, 'voluntary_ctxt_switches') };
  await setTimeout(SAMPLE_MS);
  const second = (now: number, then: number) => ((now - then) * 1000) / SAMPLE_MS;
  return {
    ms: second(processorMs(pid), before.ms),
    wakes: second(statusOf(pid, 'voluntary_ctxt_switches'), before.wakes),
  };
}

/** The service with the processes that it has started. */
export function residentMb({ pid }: Service): number {
  const pids = [pid, ...descendants(pid).map((one) => one.pid)];
  return Math.round([...new Set(pids)].reduce((sum, one) => sum + statusOf(one, 'VmRSS'), 0) / 1024);
}
