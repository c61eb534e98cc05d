import { setTimeout } from 'node:timers/promises';
import { closedLoop } from './load.ts';
import { atRest, processorMs } from './processor.ts';
import { pushes, SHAPES } from './pushes.ts';
import { medians } from './rounds.ts';
import { type BenchRow, plainRow } from './row.ts';
import { startService } from './service.ts';
import { milliseconds } from './statistics.ts';

const USERS = Math.max(...SHAPES.map(({ repositories }) => repositories));
const SHOTS = 400;
const IDLE_MS = 3_000;
const MOST_MS = 3;

/**
 * Measures the processor time of one delivery until all that it causes is done: the whole process, less what it takes at
 * rest in the same time.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const service = await startService('delivery-cost', USERS);
  try {
    await closedLoop(pushes(service, USERS), 8, 1000);
    await atRest(service.pid);
    const idle = await spent(service.pid, () => setTimeout(IDLE_MS));
    const rows: BenchRow[] = [];
    for (const { repositories, name } of SHAPES) {
      const aim = pushes(service, repositories);
      for (const inFlight of [1, 16, 64]) {
        const { ms } = await medians(async () => {
          const begin = performance.now();
          const all = await spent(service.pid, async () => {
            await closedLoop(aim, inFlight, SHOTS);
            await atRest(service.pid);
          });
          return { ms: (all - (idle * (performance.now() - begin)) / IDLE_MS) / SHOTS };
        });
        const limit = { most: `${MOST_MS} ms`, reached: ms <= MOST_MS };
        rows.push(plainRow(`processor time of a delivery of ${name}, ${inFlight} in flight`, milliseconds(ms), limit));
      }
    }
    return rows;
  } finally {
    await service.close();
  }
}

async function spent(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = processorMs(pid);
  await work();
  return processorMs(pid) - before;
}
