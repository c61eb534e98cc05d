import type { AppEvents } from '../../../core/ports/apps/app-events.ts';
import { isOnLambda } from '../../aws/platform/kind.ts';
import { platformAccess } from '../../aws/platform/secret.ts';
import { httpAppEvents } from '../app-events.ts';

/**
 * Returns the events of the configured platform. Lambda starts again what ends, so that nothing crashes for good there.
 */
export async function chosenEvents(): Promise<AppEvents> {
  if (isOnLambda()) return { after: async (seq) => ({ events: [], last: seq }) };
  return httpAppEvents(await platformAccess());
}
