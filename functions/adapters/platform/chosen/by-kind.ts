import type { Clock } from '../../../core/ports/clock.ts';
import { type PlatformKind, platformKind } from '../../aws/platform/kind.ts';
import type { LambdaPlatformParts } from '../aws-lambda/parts.ts';

/**
 * Returns the adapter of the configured platform. Only its function is called, which imports the adapter: a function
 * starts without the clients of the other platform.
 */
export async function byKind<Adapter>(
  adapters: Readonly<Record<PlatformKind, () => Promise<Adapter>>>,
): Promise<Adapter> {
  return adapters[platformKind()]();
}

/** Returns the dependencies of the adapters for AWS Lambda. */
export async function lambdaParts(clock: Clock): Promise<LambdaPlatformParts> {
  const { connectParts } = await import('../aws-lambda/connect-parts.ts');
  return connectParts(clock);
}
