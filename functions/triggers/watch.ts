import type { WatchPorts } from '../watch-apps/watch.ts';
import { trace } from './trace.ts';

/** Returns the handler of the schedule, which answers with the number of events that were read. */
export function watchTrigger(watch: (ports: WatchPorts) => Promise<number>, connection: Omit<WatchPorts, 'trace'>) {
  return async () => ({ events: await watch({ ...connection, trace }) });
}
