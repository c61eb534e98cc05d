import { variable } from '../environment.ts';

/** The values of the parameter `Platform`. */
export const PLATFORM_KINDS = ['aws-lambda', 'http'] as const;

/** The platform of the applications: AWS Lambda in this account, or one with the platform API. */
export type PlatformKind = (typeof PLATFORM_KINDS)[number];

/** Returns the configured platform. Throws for one that this version does not know. */
export function platformKind(): PlatformKind {
  const value = variable('PLATFORM');
  const kind = PLATFORM_KINDS.find((known) => known === value);
  if (kind === undefined) {
    throw new Error(`PLATFORM is ${value}, not one of ${PLATFORM_KINDS.join(', ')}.`);
  }
  return kind;
}

/** Returns the address of the platform API. */
export function platformUrl(): string {
  return variable('PLATFORM_URL');
}
