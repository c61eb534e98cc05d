import type { SweepPorts } from '../sweep/sweep.ts';
import { trace } from './trace.ts';

/** The event of the schedule, or the one that an operator (or a start after the queues were lost) sends. */
interface SweepEvent {
  /** Looks at all that is unfinished, whatever its time. */
  readonly everything?: boolean;
}

/** The handler of the schedule. Answers with the number of entries that were looked at. */
export function sweepTrigger(
  sweep: (ports: SweepPorts, everything: boolean) => Promise<number>,
  connection: Omit<SweepPorts, 'trace'>,
) {
  return async (event: SweepEvent | undefined) => ({
    looked: await sweep({ ...connection, trace }, event?.everything === true),
  });
}
