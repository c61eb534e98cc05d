import { randomBytes } from 'node:crypto';
import { REGION } from './place.mjs';

export { ACCOUNT, REGION } from './place.mjs';

const SECRET_BYTES = 32;

/**
 * The key of the operator, who may do everything. Each function has its own key. The secret is new
 * for each process, so that no other user of this machine knows it. The id is not: some DynamoDB-compatible servers
 * keep a database for each.
 */
export const CREDENTIALS = {
  accessKeyId: 'local',
  secretAccessKey: randomBytes(SECRET_BYTES).toString('base64url'),
} as const;

/** Returns the settings with which an AWS SDK client uses an emulator of this process. */
export function clientFor(endpoint: string) {
  return { endpoint, region: REGION, credentials: CREDENTIALS };
}
