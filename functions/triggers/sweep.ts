import type { SweepPorts } from '../sweep/sweep.ts';
import { trace } from './trace.ts';

/** The event of the schedule, or that of an operator. */
interface SweepEvent {
  /** Whether to look at all unfinished entries, due or not: the queues were lost. */
  readonly everything?: boolean;
}

type Sweep = (ports: SweepPorts, everything: boolean) => Promise<number>;

/** Returns the handler of the schedule, which answers with the number of entries that were looked at. */
export function sweepTrigger(sweep: Sweep, connection: Omit<SweepPorts, 'trace'>) {
  return async (event: SweepEvent | undefined) => ({
    looked: await sweep({ ...connection, trace }, event?.everything === true),
  });
}
