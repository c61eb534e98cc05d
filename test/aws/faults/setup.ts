import { vi } from 'vitest';
import type * as HttpClientModule from '../../../functions/adapters/hosts/http/http-client.ts';
import type { Platform } from '../../../functions/adapters/platform/platform.ts';
import type * as PlatformsModule from '../../../functions/adapters/platform/platforms.ts';
import { hostClient } from './world/clients.ts';
import { clock } from './world/clock.ts';

// The functions run as they are, with their own adapters and AWS clients. Replaced is only what the test has to
// control: the time, the jitter, secrets, the platform, and the time limits of calls to the repository host.

vi.mock('../../../functions/adapters/system/clock.ts', async () => ({
  systemClock: (await import('./world/clock.ts')).clock,
}));

vi.mock('../../../functions/adapters/system/ids.ts', async (original) => {
  const { systemIds } = await original<typeof import('../../../functions/adapters/system/ids.ts')>();
  const { jitter } = await import('./world/jitter.ts');
  return { systemIds: { ...systemIds, fraction: jitter.next } };
});

vi.mock('../../../functions/adapters/aws/secrets.ts', () => ({
  readSecret: async () => '{}',
}));

vi.mock('../../../functions/adapters/aws/kms-sealer.ts', () => ({
  kmsSealer: () => ({ seal: async (secret: string) => secret, open: async (sealed: string) => sealed }),
}));

vi.mock('../../../functions/adapters/platform/platforms.ts', async (original) => {
  const real = await original<typeof PlatformsModule>();
  const { platform } = await import('./world/clients.ts');
  const { memoryAppOperations, memoryAppVariables } = await import('../../fakes/applications.ts');
  const { hosting, memory } = platform;
  const ports: Partial<Platform> = {
    hosting: async () => hosting,
    operations: async () => memoryAppOperations(memory),
    variables: async () => memoryAppVariables(memory),
  };
  return { ...real, configuredPlatform: async () => ports };
});

vi.mock('../../../functions/adapters/hosts/http/http-client.ts', async (original) => {
  const real = await original<typeof HttpClientModule>();
  const createHttpClient: typeof real.createHttpClient = (policy) =>
    hostClient((timeouts) => real.createHttpClient(policy, timeouts));
  return { ...real, createHttpClient };
});

// Traces of injected failures would be megabytes.
if (!process.env.TRACE) vi.spyOn(console, 'error').mockImplementation(() => {});
clock.sleepsPass = true;
