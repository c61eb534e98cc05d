import { describe, expect, it } from 'vitest';
import { systemIds } from '../../functions/adapters/system/ids.ts';
import type { Incident } from '../../functions/core/ports/app-event.ts';
import type { AppFacts } from '../../functions/core/ports/facts.ts';
import type { DeployLog, LogReader } from '../../functions/core/ports/log.ts';
import type { Clock } from '../../functions/core/ports/system.ts';
import { applyIncident } from '../../functions/watch-apps/incident.ts';
import { memoryClock } from '../fakes/clock.ts';
import { append } from '../support/entries.ts';

const DAY = 24 * 3_600_000;

/** A log whose time is that of a clock. */
interface AgingLog {
  readonly log: DeployLog;
  readonly appFacts: AppFacts;
  readonly reader: LogReader;
  /** Removes what has expired. */
  readonly forget: () => Promise<void>;
}

/** An incident that lasts, of which its entry tells the end however late it comes. */
export function lastingIncidentContract(open: (clock: Clock) => Promise<AgingLog>): void {
  describe('an incident that lasts', () => {
    const monthly: Incident = {
      user: 'monthly',
      app: 'monthly-shop',
      seq: 7,
      state: 'crashed',
      about: 'The job "node x.js" (0 3 1 * *)',
      reason: 'The job "node x.js" (0 3 1 * *) failed.',
      log: [],
      first: 'runner 1',
    };
    const over: Incident = { ...monthly, seq: 8, state: 'running', reason: 'It has succeeded.' };

    it.each([
      ['30 days', [30]],
      ['a year, forgetting now and then', [6, 8, 1, 20, 330]],
    ])('for %s is over in the entry that has told it', async (_, days) => {
      const clock = memoryClock();
      const { log, appFacts, reader, forget } = await open(clock);
      const user = systemIds.hex(12);
      const tell = (incident: Incident) =>
        applyIncident({ ...incident, user }, { log, appFacts, clock, ids: systemIds });
      await tell(monthly);
      await tell({ ...monthly, about: 'The disk', first: 'disk 1', app: null });
      await append(log, { user }, { deliveryKey: 'github#1' });
      for (const some of days) {
        clock.pass(some * DAY);
        await forget();
      }
      await tell(over);
      const { entries } = await reader.page({ user, app: null, skip: 0, limit: 10 });
      expect(entries.map(({ number, status }) => [number, status])).toEqual([
        [3, 'queued'],
        [2, 'crashed'],
        [1, 'ok'],
      ]);
      // Once its key is forgotten, a delivery is another one.
      expect((await append(log, { user }, { deliveryKey: 'github#1' })).number).toBe(4);
    });
  });
}
