import { expect, it } from 'vitest';
import { sweepTrigger } from '../../../../functions/triggers/sweep.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { AT } from '../../../support/entries.ts';

const log = memoryLog();
const connection = { log, backlog: log, queue: memoryQueue(), clock: memoryClock(AT), holdMinutes: 60 };
const handler = sweepTrigger(
  { sweep: async (_, everything) => (everything ? 2 : 1), sweepAfterRestart: async () => 3 },
  connection,
);
const [DUE, EVERYTHING, AFTER_RESTART] = [1, 2, 3];

it.each<[Parameters<typeof handler>[0], number]>([
  [undefined, DUE],
  [{}, DUE],
  [{ everything: false }, DUE],
  [{ everything: true }, EVERYTHING],
  [{ messagesKeptUntil: AT }, AFTER_RESTART],
  [{ messagesKeptUntil: 0 }, AFTER_RESTART],
])(
  'The sweep of %j works on its entries (1: those due, 2: all, 3: those of the workers that ended)',
  async (event, looked) => {
    expect(await handler(event)).toEqual({ looked });
  },
);

it.each([null, '', '2026', Number.NaN, AT + 1, Number.POSITIVE_INFINITY, {}])(
  'The sweep looks at everything when messages were kept until %j, which is no time in the past',
  async (messagesKeptUntil) => {
    expect(await handler({ messagesKeptUntil })).toEqual({ looked: EVERYTHING });
  },
);
