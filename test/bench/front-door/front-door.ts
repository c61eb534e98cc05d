import { setTimeout } from 'node:timers/promises';
import { startChild } from '../child.ts';
import { closedLoop } from '../load.ts';
import { atRest } from '../processor.ts';
import { pushes } from '../pushes.ts';
import { medians } from '../rounds.ts';
import { type BenchRow, timeRow } from '../row.ts';
import { startService } from '../service.ts';
import { firstPush } from '../serving/first-push.ts';
import { plain } from '../serving/versions.ts';
import { quantile, ratioOf } from '../statistics.ts';

const USERS = 20;
const DELIVERIES = 2_000;
const IN_FLIGHT = 16;
const MOST_TIMES = 2;

/** Measures the requests to an application through the front door while deliveries come in, and without them. */
export async function run(): Promise<readonly BenchRow[]> {
  const service = await startService('front-door', USERS);
  const app = await firstPush(service, 'plain', plain('visited'));
  const aim = pushes(service, USERS);
  try {
    await closedLoop(aim, IN_FLIGHT, 500);
    const found = await medians(async () => {
      await atRest(service.pid);
      const begin = performance.now();
      const busy = await visited(app.url, () => closedLoop(aim, IN_FLIGHT, DELIVERIES));
      const took = performance.now() - begin;
      await atRest(service.pid);
      const calm = await visited(app.url, () => setTimeout(took));
      return {
        busy: quantile(busy, 0.99),
        calm: quantile(calm, 0.99),
        busy50: quantile(busy, 0.5),
        calm50: quantile(calm, 0.5),
      };
    });
    const ratio = ratioOf(found.busy, found.calm);
    return [
      timeRow(`request to an application during ${DELIVERIES} deliveries, p99`, {
        ...{ own: found.busy, base: found.calm, name: 'without' },
        ...{ target: `≤ ${MOST_TIMES} × it`, reached: ratio <= MOST_TIMES },
      }),
      timeRow('… p50', { own: found.busy50, base: found.calm50, name: 'without' }),
    ];
  } finally {
    app.tree.remove();
    await service.close();
  }
}

async function visited(url: string, work: () => Promise<unknown>): Promise<readonly number[]> {
  const visitor = await startChild('front-door/visitor.ts', [url]);
  await work();
  return JSON.parse(await visitor.close());
}
