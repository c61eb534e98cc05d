import type { HostingPlatform } from '../../core/ports/hosting-platform.ts';
import { httpPlatform } from '../platform/hosting.ts';
import { variable } from './environment.ts';
import { connectServiceToken } from './service-token.ts';

/** The platform at `PLATFORM_URL`, with the service's own token. */
export async function connectPlatform(): Promise<HostingPlatform> {
  return httpPlatform({ url: variable('PLATFORM_URL'), serviceToken: await connectServiceToken() });
}
