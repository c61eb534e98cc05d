import { numberVariable } from '../adapters/aws/environment.ts';
import { publicUrl } from '../adapters/aws/public-url.ts';
import { chosenOutput } from '../adapters/platform/chosen/output.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { LogsPorts } from './ports.ts';

/** Returns the endpoint's ports. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<LogsPorts, 'trace'> & { readonly publicUrl: string | null }> {
  return {
    output: await chosenOutput(systemClock),
    clock: systemClock,
    seconds: numberVariable('CHANGES_SECONDS'),
    publicUrl: publicUrl(),
  };
}
