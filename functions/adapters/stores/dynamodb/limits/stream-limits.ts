import type { LeasePorts } from '../../../../core/limits/leased-stream.ts';
import { streamSettings } from '../../../aws/stream-settings.ts';
import { dynamoDbLeases, type LeasesContext } from './stream-leases.ts';

/**
 * Returns how long a stream may hold its function, and the leases of streams, which are in the table of connections.
 */
export function streamLimits(system: Pick<LeasesContext, 'clock' | 'ids'>): Pick<LeasePorts, 'leases' | 'seconds'> {
  const { seconds, ...settings } = streamSettings();
  return { seconds, leases: dynamoDbLeases({ ...system, ...settings }) };
}
