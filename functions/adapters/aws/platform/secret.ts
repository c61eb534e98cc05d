import { variable } from '../environment.ts';
import { requiredSecret, secretWhenNeeded } from '../secrets.ts';
import { platformUrl } from './kind.ts';

/** Returns how the platform API is called. A new service token is known to instances that start later. */
export async function platformAccess(): Promise<{ readonly url: string; readonly serviceToken: string }> {
  return { url: platformUrl(), serviceToken: await requiredSecret(variable('PLATFORM_SECRET')) };
}

/** Returns a function that reads the service's own token for the platform API at its first call. */
export function serviceTokenWhenNeeded(): () => Promise<string> {
  return secretWhenNeeded(variable('PLATFORM_SECRET'));
}
