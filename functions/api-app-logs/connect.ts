import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { publicUrl } from '../adapters/aws/public-url.ts';
import { requiredSecret } from '../adapters/aws/secrets.ts';
import { httpAppOutput } from '../adapters/platform/app-output.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { LogsPorts } from './ports.ts';

/** Returns the endpoint's ports. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<LogsPorts, 'trace'> & { readonly publicUrl: string | null }> {
  const serviceToken = await requiredSecret(variable('PLATFORM_SECRET'));
  return {
    output: httpAppOutput({ url: variable('PLATFORM_URL'), serviceToken }),
    clock: systemClock,
    seconds: numberVariable('CHANGES_SECONDS'),
    publicUrl: publicUrl(),
  };
}
