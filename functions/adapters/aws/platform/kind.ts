import { variable } from '../environment.ts';

/** Whether applications run on AWS Lambda, in this account; else on a platform of the platform API. */
export function isOnLambda(): boolean {
  return variable('PLATFORM') === 'aws-lambda';
}

/** Returns the address of the platform API. */
export function platformUrl(): string {
  return variable('PLATFORM_URL');
}
