import { variable } from '../environment.ts';

/** Where applications run: on AWS Lambda in this account, on Heroku, or on a platform of the platform API. */
export type PlatformKind = 'aws-lambda' | 'heroku' | 'http';

/** Returns the configured platform. Throws for one that this version does not know. */
export function platformKind(): PlatformKind {
  const kind = variable('PLATFORM');
  if (kind === 'aws-lambda' || kind === 'heroku' || kind === 'http') return kind;
  throw new Error(`The environment variable PLATFORM is ${kind}; it must be aws-lambda, heroku or http.`);
}

/** Whether the users are in the platform's table; else the platform has them. */
export function keepsUsers(): boolean {
  return platformKind() !== 'http';
}

/** Returns the address of the platform API. */
export function platformUrl(): string {
  return variable('PLATFORM_URL');
}
