import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock, Ids } from '../../core/ports/ambient.ts';

/** The machine's own clock. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: async (milliseconds) => {
    await setTimeout(milliseconds);
  },
};

/** Identifiers from the machine's own source of randomness. */
export const systemIds: Ids = {
  uuid: randomUUID,
  hex: (digits) =>
    randomBytes(Math.ceil(digits / 2))
      .toString('hex')
      .slice(0, digits),
  fraction: Math.random,
};
