import { availableParallelism, freemem } from 'node:os';
import { turnsByUser } from '../../../functions/core/places.ts';

/** Runs work when it is its user's turn, and resolves when that has ended. The work must not reject. */
export type StartTurns = (user: string, work: () => Promise<void>) => Promise<void>;

/** A start takes a processor for most of its time, and npm with a server that memory. */
const STARTS_PER_PROCESSOR = 2;
const START_BYTES = 150 * 1024 * 1024;
/** The longest turn: a slower start, as of an application that does not answer, goes on without one. */
const TURN_MS = 3_000;

/** Returns the turns in which applications start and wake, by their users. */
export function startTurns(atOnce = atOnceHere()): StartTurns {
  const turns = turnsByUser(atOnce);
  return (user, work) =>
    turns(user, async (leave) => {
      const timer = setTimeout(leave, TURN_MS);
      await work();
      clearTimeout(timer);
    });
}

function atOnceHere(): number {
  const byMemory = Math.max(1, Math.floor(freemem() / START_BYTES));
  return Math.min(STARTS_PER_PROCESSOR * availableParallelism(), byMemory);
}
