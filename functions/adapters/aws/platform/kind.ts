import { variable } from '../environment.ts';

const KINDS = ['aws-lambda', 'heroku', 'http'] as const;

/** Where applications run: on AWS Lambda in this account, on Heroku, or on a platform of the platform API. */
export type PlatformKind = (typeof KINDS)[number];

/** Returns the configured platform. Throws for one that this version does not know. */
export function platformKind(): PlatformKind {
  const value = variable('PLATFORM');
  const kind = KINDS.find((known) => known === value);
  if (kind === undefined) {
    throw new Error(`The environment variable PLATFORM is ${value}; it must be one of ${KINDS.join(', ')}.`);
  }
  return kind;
}

/** Whether the users are in the platform's table; else the platform has them. */
export function keepsUsers(): boolean {
  return platformKind() !== 'http';
}

/** Returns the address of the platform API. */
export function platformUrl(): string {
  return variable('PLATFORM_URL');
}
