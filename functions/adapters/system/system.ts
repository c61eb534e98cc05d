import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { v4 } from 'uuid';
import type { Clock } from '../../core/ports/clock.ts';
import type { Ids } from '../../core/ports/ids.ts';

/** The machine's own clock. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: async (milliseconds) => {
    await setTimeout(milliseconds);
  },
};

/** Identifiers from the machine's own source of randomness. */
export const systemIds: Ids = {
  uuid: () => v4(),
  hex: (digits) =>
    randomBytes(Math.ceil(digits / 2))
      .toString('hex')
      .slice(0, digits),
  fraction: Math.random,
};
