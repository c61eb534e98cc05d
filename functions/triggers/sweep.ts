import type { SweepPorts } from '../sweep/sweep.ts';
import { trace } from './trace.ts';

/** The event of the schedule, or that of an operator or a start after the queues were lost. */
interface SweepEvent {
  /** Whether to look at all unfinished entries, due or not. */
  readonly everything?: boolean;
}

/** Returns the handler of the schedule, which answers with the number of entries that were looked at. */
export function sweepTrigger(
  sweep: (ports: SweepPorts, everything: boolean) => Promise<number>,
  connection: Omit<SweepPorts, 'trace'>,
) {
  return async (event: SweepEvent | undefined) => ({
    looked: await sweep({ ...connection, trace }, event?.everything === true),
  });
}
