import type { EndedInstance } from '../core/ports/apps/app-health.ts';
import type { WatchPorts } from '../watch-apps/watch.ts';
import { noticeIn } from './log-notice.ts';
import { trace } from './trace.ts';

type Watch = (ports: WatchPorts, ended: EndedInstance | null) => Promise<number>;

/**
 * Returns the handler of the schedule and of the logs of applications. It answers with the number of events that were
 * read.
 */
export function watchTrigger(watch: Watch, connection: Omit<WatchPorts, 'trace'>) {
  return async (event: unknown) => ({ events: await watch({ ...connection, trace }, noticeIn(event)) });
}
