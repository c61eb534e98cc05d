import type { Clock } from '../../core/ports/system.ts';
import type { Platform } from './platform.ts';

/** The platforms of the stack, by their folders: a line each. */
const platforms = {
  'aws-lambda': async (clock: Clock): Promise<Platform> => (await import('./aws-lambda/platform.ts')).awsLambda(clock),
};

/** Returns the platform that the stack has made its parts for. */
export function configuredPlatform(clock: Clock): Promise<Platform> {
  return platforms['aws-lambda'](clock);
}
