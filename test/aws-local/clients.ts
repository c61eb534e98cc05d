import { randomBytes } from 'node:crypto';

/** The region of everything on one machine; it is part of every ARN and of every queue's identity. */
export const REGION = 'us-east-1';

/** The account of everything on one machine. */
export const ACCOUNT = '000000000000';

const SECRET_BYTES = 32;

/** The key of the operator, who may do everything; each function has another one. The secret is new for each process. */
export const CREDENTIALS = {
  accessKeyId: 'local',
  secretAccessKey: randomBytes(SECRET_BYTES).toString('base64url'),
} as const;

/** Returns the settings with which an AWS SDK client uses an emulator of this process. */
export function clientFor(endpoint: string) {
  return { endpoint, region: REGION, credentials: CREDENTIALS };
}
