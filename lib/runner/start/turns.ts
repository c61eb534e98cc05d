import { availableParallelism, freemem } from 'node:os';
import { once } from '../../../functions/core/concurrency.ts';

/** Runs work when it is its turn, and resolves when that has ended. The work must not reject. */
export type StartTurns = (work: () => Promise<void>) => Promise<void>;

/** A start takes a processor for most of its time, and npm with a server that memory. */
const STARTS_PER_PROCESSOR = 2;
const START_BYTES = 150 * 1024 * 1024;
/** The longest turn: a slower start, as of an application that does not answer, goes on without one. */
const TURN_MS = 3_000;

/** Returns the turns in which applications start and wake, in the order in which they were asked for. */
export function startTurns(atOnce = atOnceHere()): StartTurns {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  const next = () => {
    const begin = waiting.shift();
    if (begin) begin();
    else free += 1;
  };
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const pass = once(next);
    const timer = setTimeout(pass, TURN_MS);
    await work();
    clearTimeout(timer);
    pass();
  };
}

function atOnceHere(): number {
  const byMemory = Math.max(1, Math.floor(freemem() / START_BYTES));
  return Math.min(STARTS_PER_PROCESSOR * availableParallelism(), byMemory);
}
