import type { SweepPorts } from '../sweep/sweep.ts';
import { trace } from './trace.ts';

/** The event of the schedule, or that of an operator or of a start. */
interface SweepEvent {
  /** Whether to look at all unfinished entries, due or not: the queues were lost. */
  readonly everything?: boolean;
  /** The workers have ended, and messages were kept until this time, in milliseconds. */
  readonly messagesKeptUntil?: unknown;
}

/** The work of the sweeper. */
interface Sweeps {
  readonly sweep: (ports: SweepPorts, everything: boolean) => Promise<number>;
  readonly sweepAfterRestart: (ports: SweepPorts, keptUntil: number) => Promise<number>;
}

/**
 * Returns the handler of the schedule, which answers with the number of entries that were looked at. A
 * `messagesKeptUntil` in the future, as after a change of the clock, is ignored: then all entries are checked.
 */
export function sweepTrigger({ sweep, sweepAfterRestart }: Sweeps, connection: Omit<SweepPorts, 'trace'>) {
  return async (event: SweepEvent | undefined) => {
    const { everything = false, messagesKeptUntil } = event ?? {};
    const ports = { ...connection, trace };
    if (messagesKeptUntil === undefined) return { looked: await sweep(ports, everything === true) };
    const isPast = typeof messagesKeptUntil === 'number' && messagesKeptUntil <= ports.clock.now();
    return { looked: await (isPast ? sweepAfterRestart(ports, messagesKeptUntil) : sweep(ports, true)) };
  };
}
