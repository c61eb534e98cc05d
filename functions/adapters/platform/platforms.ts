import type { Clock } from '../../core/ports/system.ts';
import { variable } from '../aws/environment.ts';
import type { Platform } from './platform.ts';

/** The platforms, by the values of the parameter `Platform`. One is loaded when it is the configured one. */
const platforms: Readonly<Record<string, (clock: Clock) => Promise<Platform>>> = {
  'aws-lambda': async (clock) => (await import('./aws-lambda/platform.ts')).awsLambda(clock),
  http: async () => (await import('./http/platform.ts')).platformApi(),
};

export const PLATFORM_KINDS: readonly string[] = Object.keys(platforms);

/** Returns the configured platform. Throws for one that this version does not know. */
export function configuredPlatform(clock: Clock): Promise<Platform> {
  const kind = variable('PLATFORM');
  const load = Object.hasOwn(platforms, kind) ? platforms[kind] : undefined;
  if (load) return load(clock);
  throw new Error(`PLATFORM is ${kind}, not one of ${PLATFORM_KINDS.join(', ')}.`);
}
