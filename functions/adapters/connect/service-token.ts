import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { variable } from './environment.ts';

/**
 * The service's own token for the platform, from the secret `PLATFORM_SECRET`. Read once, when the function starts: a new
 * token is known to the next instances.
 */
export async function connectServiceToken(): Promise<string> {
  const command = new GetSecretValueCommand({ SecretId: variable('PLATFORM_SECRET') });
  const { SecretString } = await new SecretsManagerClient({}).send(command);
  if (!SecretString) throw new Error('The secret PLATFORM_SECRET is empty.');
  return SecretString;
}
