import { publicUrl } from '../adapters/aws/environment.ts';
import { connectOutput } from '../adapters/platform/platforms.ts';
import { streamLimits } from '../adapters/stores/dynamodb/limits/stream-limits.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { LogsPorts } from './ports.ts';

/** Returns the endpoint's ports. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<LogsPorts, 'trace'> & { readonly publicUrl: string | null }> {
  return {
    output: await connectOutput(systemClock),
    clock: systemClock,
    ...streamLimits({ clock: systemClock, ids: systemIds }),
    publicUrl: publicUrl(),
  };
}
