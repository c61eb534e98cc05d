import type { Clock } from '../../core/ports/system.ts';
import type { Platform } from './platform.ts';

/** The platforms of the stack, by their folders: a line each. */
const platforms = {
  'aws-lambda': async (clock: Clock): Promise<Platform> => (await import('./aws-lambda/platform.ts')).awsLambda(clock),
};

/** The platform that the stack has made its parts for. */
export const CONFIGURED: keyof typeof platforms = 'aws-lambda';

export function configuredPlatform(clock: Clock): Promise<Platform> {
  return platforms[CONFIGURED](clock);
}
