import { expect, it } from 'vitest';
import { sweepTrigger } from '../../../../functions/triggers/sweep.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { AT } from '../../../support/entries.ts';

const log = memoryLog();
const connection = { log, backlog: log, queue: memoryQueue(), clock: memoryClock(AT), holdMinutes: 60 };
const handler = sweepTrigger(async (_, everything) => (everything ? 2 : 1), connection);
const [DUE, EVERYTHING] = [1, 2];

it.each<[Parameters<typeof handler>[0], number]>([
  [undefined, DUE],
  [{}, DUE],
  [{ everything: false }, DUE],
  [{ everything: true }, EVERYTHING],
])('The sweep of %j works on its entries (1: those due, 2: all)', async (event, looked) => {
  expect(await handler(event)).toEqual({ looked });
});
