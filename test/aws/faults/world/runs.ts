import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fault } from '../../../faults/world/faults.ts';
import type { Service } from './services.ts';

/** A call of a function to a service. */
export interface Call {
  readonly service: Service;
  /** What is called, for the report of a failure. */
  readonly what: string;
}

/** When the worker of a run dies: before or after its call of that number, counted from 1. */
export interface Death {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** One invocation of a function. */
export interface Run {
  readonly name: string;
  readonly dies: Death | null;
  isAlive: boolean;
  /** The calls that it has begun. */
  calls: number;
  /** Its calls that wait for their turn, and its sleeps. */
  waiting: number;
  /** Settles when its worker dies. */
  readonly death: Promise<'dead'>;
  kill(): void;
}

/** Decides when a call of a run goes on, and what happens to it. */
export interface Turns {
  take(run: Run, call: Call): Promise<Fault | null>;
  ended(run: Run): void;
}

const NEVER = new Promise<never>(() => {});
const current = new AsyncLocalStorage<Run>();
const AT_ONCE: Turns = { take: async () => null, ended: () => {} };
let turns = AT_ONCE;

/** Gives the calls of all runs to somebody who decides on them; null: each goes on at once. */
export function useTurns(given: Turns | null): void {
  turns = given ?? AT_ONCE;
}

/** Returns a run that has not begun. */
export function newRun(name: string, dies: Death | null = null): Run {
  let died = (_: 'dead') => {};
  const death = new Promise<'dead'>((resolve) => {
    died = resolve;
  });
  const run: Run = {
    name,
    dies,
    isAlive: true,
    calls: 0,
    waiting: 0,
    death,
    kill: () => {
      run.isAlive = false;
      died('dead');
    },
  };
  return run;
}

/**
 * Returns what an invocation returns, or `dead` when its worker dies. What has died does nothing any more: no call of
 * it is sent, no answer is read, no `finally` runs.
 */
export async function within<T>(run: Run, work: () => Promise<T>): Promise<T | 'dead'> {
  return Promise.race([current.run(run, work), run.death]);
}

/** Sends a call of the current run when its turn comes; calls outside of runs, those of the test itself, at once. */
export async function outgoing<T>(call: Call, send: (fault: Fault | null) => Promise<T>): Promise<T> {
  const run = current.getStore();
  if (!run) return send(null);
  if (!run.isAlive) return NEVER;
  run.calls += 1;
  const dies = run.dies?.call === run.calls ? run.dies.when : null;
  if (dies === 'before') return dead(run);
  const fault = await turns.take(run, call);
  if (!run.isAlive) return NEVER;
  try {
    return await send(fault);
  } finally {
    turns.ended(run);
    if (dies === 'after') run.kill();
    if (!run.isAlive) await NEVER;
  }
}

/** Counts the current run as waiting, until the returned function is called. */
export function resting(): () => void {
  const run = current.getStore();
  if (run) run.waiting += 1;
  return () => {
    if (run) run.waiting -= 1;
  };
}

function dead(run: Run): Promise<never> {
  run.kill();
  return NEVER;
}
