/** The region of everything on one machine; it is part of every ARN and of every queue's identity. */
export const REGION = 'us-east-1';

/** The account of everything on one machine. */
export const ACCOUNT = '000000000000';

/** Returns the settings with which an AWS SDK client uses an emulator; the emulators do not check signatures. */
export function clientFor(endpoint: string) {
  return { endpoint, region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}
