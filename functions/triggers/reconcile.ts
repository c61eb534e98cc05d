import type { ReconcilePorts } from '../reconcile/reconcile.ts';
import { trace } from './trace.ts';

/** The event of the schedule, or that of an operator or a start after which pushes may have been missed. */
interface ReconcileEvent {
  /** Whether to compare all applications, due or not. */
  readonly everything?: boolean;
}

/** Returns the handler of the schedule, which answers with the number of applications that were due. */
export function reconcileTrigger(
  reconcile: (ports: ReconcilePorts, everything: boolean) => Promise<number>,
  connection: Omit<ReconcilePorts, 'trace'>,
) {
  return async (event: ReconcileEvent | undefined) => ({
    compared: await reconcile({ ...connection, trace }, event?.everything === true),
  });
}
